/// Makes text that someone typed, or that came from elsewhere, fit for one line among other text.
public enum OneLine {
    /// Folds white space and control characters into single spaces, and removes characters that
    /// change the direction of the text around them.
    public static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var separates = false
        for scalar in text.unicodeScalars where !turnsDirection.contains(scalar) {
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control {
                separates = !result.isEmpty
            } else {
                if separates { result.append(" ") }
                separates = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether any character of a text can be seen.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .format, .spaceSeparator, .nonspacingMark, .enclosingMark, .unassigned,
                .privateUse:
                false
            default: !scalar.properties.isDefaultIgnorableCodePoint
            }
        }
    }

    static let turnsDirection: Set<Unicode.Scalar> = [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",
        "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ]
}
