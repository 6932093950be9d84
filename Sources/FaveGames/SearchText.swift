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

    /// Too short for the trigram indexes: only beginnings can be looked for.
    public var isShort: Bool { text.unicodeScalars.count < 3 }
}
