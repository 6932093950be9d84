import FaveGames

/// Makes text fit for a card, whatever someone typed.
enum CardText {
    /// The maximum number of characters: more than a card has room for.
    static let limit = 200

    /// The maximum number of combining marks in a row. Scripts in use put no more on one letter,
    /// and more would cover the text around it.
    static let markLimit = 4

    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        // Cut before cleaning, too: names of games come from elsewhere and can have any length.
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(10 * limit)))
        for scalar in OneLine.clean(beginning).unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            guard marks <= markLimit else { continue }
            guard count < limit else {
                result.append("…")
                break
            }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
