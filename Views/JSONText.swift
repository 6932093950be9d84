/// JSON as text, from a writer of JSON.
package struct JSONText: Sendable {
    let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
