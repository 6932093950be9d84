import FaveGames

/// The yearly snapshots before and after another one.
package struct SnapshotYears: Sendable {
    package let previous: SnapshotSummary?
    package let next: SnapshotSummary?

    /// - Parameters:
    ///   - summary: If it isn't a yearly one, it has no neighbours.
    ///   - all: The snapshots of the same user.
    package init(around summary: SnapshotSummary, among all: [SnapshotSummary]) {
        func year(_ isWanted: (Int) -> Bool) -> [SnapshotSummary] {
            all.filter { $0.year.map(isWanted) ?? false }
        }
        func isEarlier(_ one: SnapshotSummary, _ other: SnapshotSummary) -> Bool {
            (one.year ?? 0) < (other.year ?? 0)
        }
        guard let own = summary.year else {
            (previous, next) = (nil, nil)
            return
        }
        previous = year { $0 < own }.max(by: isEarlier)
        next = year { $0 > own }.min(by: isEarlier)
    }
}
