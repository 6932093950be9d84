import Mustache

/// Keeps JSON inside of a data block of HTML.
///
/// HTML knows no escapes there: the block would end at `</script`, wherever it stands, and change
/// its meaning at `<!--`. In JSON these characters stand in strings only, where they can be written
/// by their numbers.
struct SafeJSON: MustacheContentType {
    static let name = "SafeJSON"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "\\u003c".unicodeScalars)
            case ">": escaped.append(contentsOf: "\\u003e".unicodeScalars)
            case "&": escaped.append(contentsOf: "\\u0026".unicodeScalars)
            case "\u{2028}": escaped.append(contentsOf: "\\u2028".unicodeScalars)
            case "\u{2029}": escaped.append(contentsOf: "\\u2029".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
