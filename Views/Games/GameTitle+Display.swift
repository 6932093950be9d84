import FaveGames
import Languages

extension GameTitle {
    /// The title after its number, for example "2. Hollow Knight".
    package func numbered(_ number: Int) -> Words {
        Words {
            $0.text(number)
            $0.text(". ")
            $0.text(self)
        }
    }
}

extension FoundGame {
    /// The name to show beside the game's title: the one that a search found it by, or else the main name.
    ///
    /// - Returns: `nil` if the title says as much.
    package func otherName(in language: Language) -> String? {
        let title = game.name.string(in: language)
        return [foundName, game.name.main].compactMap(\.self).first { $0 != title }
    }
}
