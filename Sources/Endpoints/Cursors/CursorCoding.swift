/// A cursor that can be written as text. `CursorSeal` encrypts the text, and clients send it back.
package protocol CursorCoding {
    /// The letter of its kind. The text begins with it.
    static var letter: String { get }
    /// - Returns: `nil` if the text is not one that `text` made.
    init?(text: String)
    var text: String { get }
}

extension CursorCoding {
    package static func encode(_ fields: [String]) -> String {
        fields.joined(separator: "\n")
    }

    /// - Parameter count: How many fields there must be. The last one may contain anything.
    package static func decode(_ text: String, count: Int) -> [String]? {
        guard text.utf8.count <= 2048 else { return nil }
        let fields = text.split(
            separator: "\n", maxSplits: count - 1, omittingEmptySubsequences: false)
        guard fields.count == count, !text.utf8.contains(0) else { return nil }
        return fields.map(String.init)
    }
}
