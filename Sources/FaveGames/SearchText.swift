/// What somebody looks for: trimmed, without control characters, 1 to 100 characters.
public struct SearchText: Hashable, Sendable {
    public static let limit = 100

    public let text: String

    /// - Returns: `nil` if nothing is left, or more than `limit`.
    public init?(_ text: String) {
        let cleaned = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        let words = cleaned.split { $0.properties.isWhitespace }
        var result = String.UnicodeScalarView()
        for (index, word) in words.enumerated() {
            if index > 0 { result.append(" ") }
            result.append(contentsOf: word)
        }
        guard !result.isEmpty, result.count <= Self.limit else { return nil }
        self.text = String(result)
    }

    /// Whether only beginnings can be looked for: without three letters or digits in a row there is
    /// no trigram, and an index of trigrams would be read from end to end.
    public var isShort: Bool {
        var run = 0
        for scalar in text.unicodeScalars {
            run =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? run + 1 : 0
            if run == 3 { return false }
        }
        return true
    }
}
