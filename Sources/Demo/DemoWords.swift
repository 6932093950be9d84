import EmbeddedFiles
import Foundation

/// The words of demo data, from `words.json`.
struct DemoWords: Decodable, Sendable {
    /// The sentences of comments in English. None says what happens in a game or how it is played, so
    /// every sentence fits every game.
    let openers, reasons, closers, paragraphs: [String]
    let cultures: [DemoCulture]
    let adjectives, nouns, emoji, tags: [String]
    /// The ids of games, the most loved first.
    let wellKnown: [Int]
    /// The ids of the games that are in demo lists.
    let games: Set<Int>

    static let all: DemoWords = {
        guard let file = EmbeddedFile.all.first(where: { $0.name == "words.json" }) else {
            preconditionFailure("words.json is embedded")
        }
        do {
            return try JSONDecoder().decode(DemoWords.self, from: Data(file.contents))
        } catch {
            preconditionFailure("words.json: \(error)")
        }
    }()
}
