import FaveGames

/// Text made fit for a card, whatever someone typed.
enum CardText {
    /// More characters than a card has place for.
    static let limit = 200

    /// As many marks as scripts in use put on one letter; more would cover what is around it.
    static let markLimit = 4

    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        // Cut before cleaning, too: names of games come from elsewhere.
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
