import FaveGames

extension MovementMark {
    /// How an entry has moved since the list that was kept before.
    ///
    /// - Returns: `nil` if it has not moved, or there is no earlier list.
    init?(_ kept: KeptList, _ entry: KeptEntry) {
        guard let movement = kept.movement(of: entry), let previous = kept.previous else {
            return nil
        }
        self.init(movement, since: "“\(previous.title)”")
    }
}

extension KeptList {
    /// What is different from the list that was kept before, in the order in which people ask.
    var changesInWords: [(what: String, games: String)] {
        func names(_ isWanted: (Movement) -> Bool) -> [String] {
            entries.filter { movement(of: $0).map(isWanted) ?? false }.map(\.game.name)
        }
        let changes = [
            ("New", names { $0 == .new }), ("Gone", gone.map(\.game.name)),
            ("Moved up", names { if case .up = $0 { true } else { false } }),
            ("Moved down", names { if case .down = $0 { true } else { false } }),
        ]
        return changes.filter { !$1.isEmpty }.map { ($0, $1.joined(separator: ", ")) }
    }
}
