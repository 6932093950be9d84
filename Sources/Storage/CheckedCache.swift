import Postgres
import Work

/// Values made from what the database holds, each kept with the keys of what it depends on, and
/// dropped once one of them has changed.
///
/// A value is used only after the feed has said what changed up to then, so it is never older than
/// one that would be made at the same time. The values are bounded in cost. Confined to the feed's
/// loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class CheckedCache<Key: Hashable & Sendable, Value>: @unchecked Sendable {
    /// A value that is kept, or was when it was found.
    public final class Kept {
        public let value: Value
        fileprivate let keys: [String]
        /// Values of an earlier epoch can't be checked any more.
        fileprivate let epoch: Int
        /// Whether something has changed that the value depends on, or it had to make room.
        fileprivate var isGone = false

        fileprivate init(_ value: Value, keys: [String], epoch: Int) {
            self.value = value
            self.keys = keys
            self.epoch = epoch
        }
    }

    /// What a check said about a kept value.
    public enum Verdict {
        case current
        /// PostgreSQL could not be asked. The value was current this long ago.
        case possiblyStale(age: Duration)
        case outdated
    }

    public let feed: ChangeFeed
    /// How long values are used while PostgreSQL can't be asked.
    private let staleness: Duration
    private var values: S3FIFOCache<Key, Kept>
    /// The values that depend on each key.
    private var dependents: [String: Set<Key>] = [:]
    private var fills: [Key: Fill] = [:]
    /// Counts how often the feed has lost track.
    private var epoch = 0
    /// The earliest epoch whose values may be used while PostgreSQL can't be asked. There may have
    /// been changes between earlier ones and the last check.
    private var earliestEpoch = 0
    private var events = CacheStatistics()

    /// - Parameters:
    ///   - bytes: How much memory the values may take, roughly.
    ///   - staleness: How long values are used while PostgreSQL can't be asked.
    public init(_ feed: ChangeFeed, bytes: Int, staleness: Duration = .zero) {
        self.feed = feed
        self.staleness = staleness
        values = S3FIFOCache(costLimit: bytes)
        feed.observe { [weak self] in self?.note($0) }
    }

    // MARK: Finding

    /// A value that may be used if a check says that it is current.
    public func find(_ key: Key) -> Kept? {
        guard let kept = values.use(key), kept.epoch == epoch || staleness > .zero else {
            events.misses += 1
            return nil
        }
        return kept
    }

    /// The value for a key, if there is one and it is current.
    public func current(_ key: Key) async -> Value? {
        guard let kept = find(key) else { return nil }
        let isChecked = await feed.check()
        guard case .current = verdict(on: kept, isChecked: isChecked) else { return nil }
        return kept.value
    }

    /// - Parameter isChecked: What the feed said to a check that began after the value was found.
    public func verdict(on kept: Kept, isChecked: Bool) -> Verdict {
        let verdict = judgement(of: kept, isChecked: isChecked)
        switch verdict {
        case .current: events.hits += 1
        case .possiblyStale: events.staleHits += 1
        case .outdated: events.outdated += 1
        }
        return verdict
    }

    private func judgement(of kept: Kept, isChecked: Bool) -> Verdict {
        guard !kept.isGone else { return .outdated }
        if isChecked { return kept.epoch == epoch ? .current : .outdated }
        guard kept.epoch >= earliestEpoch, let age = feed.sinceLastCheck, age <= staleness else {
            return .outdated
        }
        return .possiblyStale(age: age)
    }

    // MARK: Statistics

    public var statistics: CacheStatistics {
        var statistics = events
        statistics.count = values.count
        statistics.bytes = values.cost
        return statistics
    }

    // MARK: Filling

    /// A value that is being made, to be kept.
    public final class Fill {
        public let key: Key
        /// Notes what the value depends on.
        public let recorder = DependencyRecorder()
        /// What changed since the value was begun. It may have been read before that.
        fileprivate var changed: Set<String> = []
        fileprivate var lostTrack = false
        fileprivate var waiting: [UnsafeContinuation<Bool, Never>] = []

        fileprivate init(_ key: Key) { self.key = key }
    }

    /// Begins to make a value, once the feed has caught up. It must be ended with `end(_:_:cost:)`.
    ///
    /// - Returns: `nil` if the same value is being made already.
    public func begin(_ key: Key) -> Fill? {
        guard fills[key] == nil else { return nil }
        let fill = Fill(key)
        fills[key] = fill
        return fill
    }

    /// Waits until a value that is being made is made.
    ///
    /// - Returns: `false` if it turned out to be one that can't be kept.
    public func wait(for key: Key) async -> Bool {
        await withUnsafeContinuation { continuation in
            // Looked up here, since other tasks of the loop may run before a task suspends.
            guard let fill = fills[key] else { return continuation.resume(returning: true) }
            fill.waiting.append(continuation)
        }
    }

    /// Ends the making of a value, and keeps it if that is possible.
    ///
    /// - Parameters:
    ///   - value: `nil` for what is not to be kept.
    ///   - cost: The value's size in bytes.
    /// - Returns: Whether the value is kept.
    @discardableResult
    public func end(_ fill: Fill, _ value: Value?, cost: Int) -> Bool {
        fills[fill.key] = nil
        let keys = fill.recorder.keys ?? []
        var canBeKept = value != nil && !keys.isEmpty
        defer { for continuation in fill.waiting { continuation.resume(returning: canBeKept) } }
        events.fills += 1
        guard let value, canBeKept, !fill.lostTrack, keys.isDisjoint(with: fill.changed) else {
            return false
        }
        drop(fill.key)
        let cost = cost + keys.reduce(0) { $0 + $1.utf8.count + 64 }
        let kept = Kept(value, keys: Array(keys), epoch: epoch)
        let (isKept, dropped) = values.insert(kept, for: fill.key, cost: cost)
        for (key, kept) in dropped { forget(key, kept) }
        guard isKept else {
            // It is too large, and so would the next one be.
            canBeKept = false
            return false
        }
        for key in keys { dependents[key, default: []].insert(fill.key) }
        events.keptFills += 1
        return true
    }

    // MARK: Dropping

    private func note(_ finding: ChangeFeed.Finding) {
        switch finding {
        case .changed(let keys):
            for key in keys {
                for dependent in dependents[key] ?? [] { drop(dependent) }
            }
            for fill in fills.values { fill.changed.formUnion(keys) }
        case .lostTrack:
            epoch += 1
            dependents = [:]
            for fill in fills.values { fill.lostTrack = true }
            // While PostgreSQL can't be asked, values of before may still be wanted.
            if staleness == .zero || feed.isTracking {
                earliestEpoch = epoch
                values.removeAll()
            }
        }
    }

    private func drop(_ key: Key) {
        if let kept = values.remove(key) { forget(key, kept) }
    }

    /// Removes a value that is gone from the dependents of its keys. Nobody is told of changes of
    /// these any more, so it must not be used by those who have found it.
    private func forget(_ key: Key, _ kept: Kept) {
        kept.isGone = true
        for dependency in kept.keys {
            guard let index = dependents.index(forKey: dependency) else { continue }
            dependents.values[index].remove(key)
            if dependents.values[index].isEmpty { dependents.remove(at: index) }
        }
    }
}

/// What a cache holds, and how often it was of use.
public struct CacheStatistics: Sendable {
    public var count = 0
    public var bytes = 0
    /// Values that were found and, after a check, used.
    public var hits = 0
    /// Values that were used although PostgreSQL could not be asked.
    public var staleHits = 0
    /// Values that were found, and had changed.
    public var outdated = 0
    public var misses = 0
    /// Values that were made.
    public var fills = 0
    /// Values that were made and kept.
    public var keptFills = 0
}
