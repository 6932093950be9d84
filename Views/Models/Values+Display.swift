import Encodings
import FaveGames
import Foundation

extension Int {
    /// In decimal, with commas between groups of three digits.
    package var grouped: String {
        let digits = String(self)
        guard digits.utf8.count > 3 else { return digits }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return grouped
    }
}

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
        var text = self
        return text.withUTF8 { utf8 in
            utf8.count <= 120 && !utf8.containsAny { $0.bytes(equalTo: UInt8(ascii: "\n")) }
        }
    }
}
