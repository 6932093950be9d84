import FaveGames

extension MovementMark {
    /// How an entry has moved since the snapshot that it is compared with.
    ///
    /// - Returns: `nil` if it has not moved, or there is no earlier list.
    init?(_ snapshot: Snapshot, _ entry: SnapshotEntry) {
        guard let movement = snapshot.movement(of: entry), let previous = snapshot.previous else {
            return nil
        }
        self.init(movement, since: previous.year.map { "\($0)" } ?? "“\(previous.title)”")
    }
}

/// Something that has changed since an earlier snapshot: the names of games, with words before or
/// after them.
package struct SnapshotChange: Sendable, Equatable {
    let lead: String
    let games: String
    let rest: String
}

extension Snapshot {
    /// The changes since the snapshot that this one is compared with. Games that moved down are left
    /// out: each made room for one that is new or moved up.
    package var changesInWords: [SnapshotChange] {
        func names(_ isWanted: (SnapshotEntry, Movement) -> Bool) -> [String] {
            entries.filter { entry in movement(of: entry).map { isWanted(entry, $0) } ?? false }
                .map(\.game.name)
        }
        func change(_ lead: String, _ names: [String], _ rest: String = "") -> SnapshotChange? {
            guard !names.isEmpty else { return nil }
            return SnapshotChange(
                lead: lead, games: names.joined(separator: ", "), rest: rest)
        }
        func hasMovedUp(_ movement: Movement) -> Bool {
            if case .up = movement { true } else { false }
        }
        let new = names { $1 == .new }
        let count = ["", "One", "Two", "Three", "Four", "Five"][min(new.count, FaveList.limit)]
        return [
            change("\(count) new game\(new.count == 1 ? "" : "s"):", new),
            change("", names { $0.position == 1 && hasMovedUp($1) }, "moved up to number 1."),
            change("Moved up:", names { $0.position > 1 && hasMovedUp($1) }),
            change("Gone:", gone.map(\.game.name)),
        ].compactMap(\.self)
    }
}
