import FaveGames
import Foundation

/// Merges the games that several queries found, the likeliest ones first.
struct SearchOrder: Sendable {
    private let text: String

    init(_ text: String) { self.text = SearchFold.fold(text) }

    /// - Parameter responses: One per query; the same game may be in several.
    func merge(_ responses: [[IGDBGame]]) -> [IGDBGame] {
        var seen: Set<Int> = []
        let games = responses.joined().filter { seen.insert($0.id).inserted }
        return games.map { ($0, key($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// The sort key: how far the title is from the search text; then the kind of game; then how
    /// many people have rated it.
    private struct Key: Comparable {
        let match: Int
        let kind: Int
        let ratingCount: Int
        let name: String
        let id: Int

        static func < (a: Key, b: Key) -> Bool {
            (a.match, a.kind, -a.ratingCount, a.name, a.id)
                < (b.match, b.kind, -b.ratingCount, b.name, b.id)
        }
    }

    private func key(_ game: IGDBGame) -> Key {
        let name = SearchFold.fold(game.name)
        return Key(
            match: match(name, game),
            kind: GameKind(type: game.type, isEdition: game.isEdition).tier,
            ratingCount: game.ratingCount, name: name, id: game.id)
    }

    private func match(_ name: String, _ game: IGDBGame) -> Int {
        if name == text || String(game.id) == text { return 0 }
        if game.names.contains(where: { SearchFold.fold($0.name) == text }) { return 1 }
        if name.hasPrefix(text) { return 2 }
        if " \(name)".contains(" \(text)") { return 3 }
        return name.contains(text) ? 4 : 5
    }
}

/// Text prepared for comparison: lower-case words without accents or punctuation.
enum SearchFold {
    static func fold(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var separates = false
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                if separates, !result.isEmpty { result.append(" ") }
                separates = false
                result.append(scalar)
            } else if scalar.properties.generalCategory != .nonspacingMark, scalar != "'",
                scalar != "\u{2019}"
            {
                separates = true
            }
        }
        return String(result)
    }

    /// A slug as IGDB makes them: plain ASCII words, joined by hyphens. Empty for other scripts.
    static func slug(_ text: String) -> String {
        fold(text).split(separator: " ").map { word in
            word.filter { $0.isASCII }
        }.filter { !$0.isEmpty }.joined(separator: "-")
    }
}
