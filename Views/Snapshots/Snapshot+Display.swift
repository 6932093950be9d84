import FaveGames
import Languages

extension MovementMark {
    /// How an entry has moved since the snapshot that it is compared with.
    ///
    /// - Returns: `nil` if it has not moved, or there is no earlier list.
    init?(_ snapshot: Snapshot, _ entry: SnapshotEntry) {
        guard let movement = snapshot.movement(of: entry), let previous = snapshot.previous else {
            return nil
        }
        self.init(movement, since: previous.title)
    }
}

/// Something that has changed since an earlier snapshot, with the names of games.
package enum SnapshotChange: Sendable, Equatable {
    case new(count: Int, names: Words)
    /// Moved up to number 1.
    case first(name: Words)
    case movedUp(names: Words)
    case gone(names: Words)
}

extension Snapshot {
    /// The changes since the snapshot that this one is compared with. Games that moved down are left
    /// out: each made room for one that is new or moved up.
    package var changes: [SnapshotChange] {
        func names(_ isWanted: (SnapshotEntry, Movement) -> Bool) -> [GameTitle] {
            entries.filter { entry in movement(of: entry).map { isWanted(entry, $0) } ?? false }
                .map(\.game.name)
        }
        func change(_ change: (Words) -> SnapshotChange, _ names: [GameTitle]) -> SnapshotChange? {
            names.isEmpty ? nil : change(names.listed)
        }
        func hasMovedUp(_ movement: Movement) -> Bool {
            if case .up = movement { true } else { false }
        }
        let new = names { $1 == .new }
        return [
            change({ .new(count: new.count, names: $0) }, new),
            change({ .first(name: $0) }, names { $0.position == 1 && hasMovedUp($1) }),
            change({ .movedUp(names: $0) }, names { $0.position > 1 && hasMovedUp($1) }),
            change({ .gone(names: $0) }, gone.map(\.game.name)),
        ].compactMap(\.self)
    }
}
