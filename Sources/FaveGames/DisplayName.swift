/// What a person is called on pages: any script, on one line, 1 to 80 characters.
public struct DisplayName: Hashable, Sendable {
    public static let limit = 80

    public let text: String

    /// Takes a name as somebody typed it: white space is folded, control characters go, and so do
    /// those that turn the direction of the text around it.
    ///
    /// - Returns: `nil` if nothing that can be seen is left, or more than `limit` characters.
    public init?(_ text: String) {
        let kept = text.unicodeScalars.filter { !Self.turnsDirection.contains($0) }
        guard let cleaned = SearchText(String(String.UnicodeScalarView(kept))),
            cleaned.text.unicodeScalars.count <= Self.limit,
            cleaned.text.unicodeScalars.contains(where: Self.isVisible)
        else { return nil }
        self.text = cleaned.text
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .spaceSeparator, .nonspacingMark, .enclosingMark, .unassigned, .privateUse:
            false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static let turnsDirection: Set<Unicode.Scalar> = [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",
        "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ]
}
