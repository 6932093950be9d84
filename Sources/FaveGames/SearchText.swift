/// The text of a search: without control characters or what is invisible around it, 1 to 100 characters.
public struct SearchText: Hashable, Sendable {
    public static let limit = 100

    public let text: String

    /// - Returns: `nil` if nothing is left, or more than `limit` characters are left.
    public init?(_ text: String) {
        let line = OneLine.trim(OneLine.clean(text))
        guard !line.isEmpty, line.unicodeScalars.count <= Self.limit else { return nil }
        self.text = line
    }

    /// The same for a search of people, who are often named as pages show them: `@rob`.
    public var ofPeople: SearchText { SearchText(AccountName.withoutMark(text)) ?? self }

    /// Whether the text is so short that only beginnings can be searched. Without three letters or
    /// digits in a row it has no trigram, and an index of trigrams would be read from end to end.
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
