import Encodings
import FaveGames

extension Rating {
    /// Five stars, with as many black ones as the rating's value.
    package var stars: String {
        String(repeating: "★", count: value)
            + String(repeating: "☆", count: Self.range.upperBound - value)
    }
}

extension GameStanding {
    /// The count as a percentage of the first game's, 0 to 100, for the bar.
    var percent: Int { highestCount > 0 ? includedBy * 100 / highestCount : 0 }
}

extension Entry {
    /// How many other lists include the game for the same platform.
    ///
    /// - Parameter isCounted: Whether `includedBy` counts this list.
    func others(isCounted: Bool) -> Int { max(0, includedBy - (isCounted ? 1 : 0)) }
}

extension String {
    /// Whether a comment is so short that it is shown larger.
    var isBrief: Bool {
        let bytes = utf8Span.span
        return bytes.count <= 120
            && !bytes.containsAny { $0.bytes(equalTo: UInt8(ascii: "\n")) }
    }

    /// Whether a comment is so long that it is folded among others: it takes more than six lines. The
    /// style sheet makes them no wider than about 56 letters, or half as many of Chinese or Japanese.
    var isLong: Bool {
        guard !isBrief else { return false }
        let lines = split(separator: "\n", omittingEmptySubsequences: false)
        return lines.reduce(0) { count, line in
            let width = line.unicodeScalars.reduce(0) { $0 + $1.columns }
            return count + max(1, (width + 55) / 56)
        } > 6
    }
}

extension Unicode.Scalar {
    /// How many letters it is as wide as, roughly: marks are above or below others.
    fileprivate var columns: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return value < 0x2E80 ? 1 : 2
        }
    }
}
