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

    /// The text, if anyone can see any of it, and an empty one otherwise. This is the one rule for when
    /// something that someone typed is empty.
    public static func cleanOrEmpty(_ text: String) -> String {
        let line = clean(text)
        return isVisible(line) ? line : ""
    }

    /// The same; `nil` if more characters than `limit` are left, in Unicode scalars as PostgreSQL counts
    /// them.
    static func clean(_ text: String, limit: Int) -> String? {
        let line = cleanOrEmpty(text)
        return line.unicodeScalars.count <= limit ? line : nil
    }

    /// Whether any character of a text can be seen.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: isVisible)
    }

    static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator,
            .nonspacingMark, .enclosingMark, .unassigned, .privateUse, .surrogate:
            false
        default: !scalar.properties.isDefaultIgnorableCodePoint && !blanks.contains(scalar)
        }
    }

    /// Removes white space and invisible characters around a text that is compared with others: names,
    /// addresses and searches. They come along when something is copied, and keyboards add spaces.
    static func trim(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
            let last = scalars.lastIndex(where: { !isTrimmed($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Variation selectors and tags are no white space: they belong to the emoji before them.
    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isWhitespace || blanks.contains(scalar)
            || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
                && !(0xE0020...0xE007F).contains(scalar.value)
    }

    /// Signs that show nothing, although to Unicode they are symbols: of Braille and of music.
    private static let blanks: Set<Unicode.Scalar> = ["\u{2800}", "\u{1D159}"]

    static let turnsDirection: Set<Unicode.Scalar> = [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",
        "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ]
}
