import FaveGames

extension MovementMark {
    /// How an entry has moved since the snapshot before it.
    ///
    /// - Returns: `nil` if it has not moved, or there is no earlier list.
    init?(_ snapshot: Snapshot, _ entry: SnapshotEntry) {
        guard let movement = snapshot.movement(of: entry), let previous = snapshot.previous else {
            return nil
        }
        self.init(movement, since: "“\(previous.title)”")
    }
}

extension Snapshot {
    /// The changes since the previous snapshot, the most interesting kind first.
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
