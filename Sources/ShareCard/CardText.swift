import FaveGames

/// Makes text fit for a card, whatever someone typed.
enum CardText {
    /// The maximum number of characters of a name: more than a card has room for.
    static let limit = 200

    /// The same for the reason why someone loves a game, and for the topic of a circle.
    static let proseLimit = 600

    /// A quote of up to so many letters is shown whole.
    static let quoteLimit = 140

    /// The maximum number of combining marks in a row. Scripts in use put no more on one letter,
    /// and more would cover the text around it.
    static let markLimit = 4

    /// The maximum number of characters that joiners add to one character. A family has three, and
    /// a line can't be wrapped or cut within them.
    static let joinerLimit = 4

    static func clean(_ text: String, limit: Int = Self.limit) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        var joiners = 0
        var isJoined = false
        // Cut before cleaning, too: names of games come from elsewhere and can have any length.
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(10 * limit)))
        for scalar in OneLine.clean(beginning).unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            guard marks <= markLimit else { continue }
            if scalar == joiner {
                joiners += 1
                guard joiners <= joinerLimit else { continue }
            } else if marks == 0, !isJoined {
                joiners = 0
            }
            isJoined = scalar == joiner
            guard count < limit else {
                let text = String(result)
                return text[..<(text.wordEnds.last ?? text.endIndex)].withEllipsis
            }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }

    /// What a card quotes of a text: all of it if it is short, or else as many whole sentences as are
    /// short together. Where there is no such sentence, the text is left to be cut where the card ends.
    static func quote(_ text: String) -> String {
        guard text.count > quoteLimit else { return text }
        let beginning = text.prefix(quoteLimit)
        let end = beginning.indices.last { index in
            let next = beginning.index(after: index)
            return "!?.…".contains(text[index]) && text[next].isWhitespace
                || "。！？؟۔।".contains(text[index])
        }
        // Less would be no more than an abbreviation or an exclamation.
        guard let end, text.distance(from: text.startIndex, to: end) >= quoteLimit / 4 else {
            return text
        }
        return String(text[...end])
    }

    private static let joiner: Unicode.Scalar = "\u{200D}"
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
