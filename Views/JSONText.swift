/// JSON as text, made by a JSON writer.
package struct JSONText: Sendable {
    let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
