public import Postgres
import Work

/// Values made from the database's data. Each value is in an entry with the keys of its
/// dependencies, and is dropped once one of them has changed.
///
/// An entry is used only after the feed has reported all changes up to then. So its value is never
/// older than a value that is made at the same time. The entries are bounded in cost. Confined to
/// the feed's loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class CheckedCache<Key: Hashable & Sendable, Value>: @unchecked Sendable {
    /// A value that is cached, or was cached when it was looked up.
    public final class Entry {
        public let value: Value
        fileprivate let keys: [String]
        /// Values of an earlier epoch can no longer be checked.
        fileprivate let epoch: Int
        /// Whether a dependency of the value has changed, or the value had to make room.
        fileprivate var isGone = false

        fileprivate init(_ value: Value, keys: [String], epoch: Int) {
            self.value = value
            self.keys = keys
            self.epoch = epoch
        }
    }

    /// The outcome of checking an entry.
    public enum Validity {
        case current
        /// PostgreSQL could not be asked. The value was current this long ago.
        case unknown(age: Duration)
        case outdated
    }

    public let feed: ChangeFeed
    /// How long values are used while PostgreSQL can't be asked.
    private let staleness: Duration
    private var entries: S3FIFOCache<Key, Entry>
    /// The keys of the entries that depend on each key of the database.
    private var dependents: [String: Set<Key>] = [:]
    private var fills: [Key: Fill] = [:]
    /// Counts how often the feed has lost track.
    private var epoch = 0
    /// The earliest epoch whose values may be used while PostgreSQL can't be asked. There may have
    /// been unknown changes between earlier epochs and the last check.
    private var earliestEpoch = 0
    private var events = CacheStatistics()

    /// - Parameters:
    ///   - bytes: The approximate amount of memory that the values may take.
    ///   - staleness: How long values are used while PostgreSQL can't be asked.
    public init(_ feed: ChangeFeed, bytes: Int, staleness: Duration = .zero) {
        self.feed = feed
        self.staleness = staleness
        entries = S3FIFOCache(costLimit: bytes)
        feed.observe { [weak self] in self?.note($0, $1) }
    }

    // MARK: Hits

    /// An entry that may be used if it is valid.
    public func lookUp(_ key: Key) -> Entry? {
        guard let entry = entries.use(key), entry.epoch == epoch || staleness > .zero else {
            events.misses += 1
            return nil
        }
        return entry
    }

    /// - Parameter isChecked: The feed's response to a check that began after the look-up.
    public func validate(_ entry: Entry, isChecked: Bool) -> Validity {
        let validity = validity(of: entry, isChecked: isChecked)
        switch validity {
        case .current: events.hits += 1
        case .unknown: events.staleHits += 1
        case .outdated: events.outdated += 1
        }
        return validity
    }

    private func validity(of entry: Entry, isChecked: Bool) -> Validity {
        guard !entry.isGone else { return .outdated }
        if isChecked { return entry.epoch == epoch ? .current : .outdated }
        guard entry.epoch >= earliestEpoch, let age = feed.sinceLastCheck, age <= staleness else {
            return .outdated
        }
        return .unknown(age: age)
    }

    private func hit<Output>(_ key: Key) async -> Outcome<Output>? {
        guard let entry = lookUp(key) else { return nil }
        let isChecked = await feed.check()
        return switch validate(entry, isChecked: isChecked) {
        case .current: .hit(entry.value, uncheckedFor: nil)
        case .unknown(let age): .hit(entry.value, uncheckedFor: age)
        case .outdated: nil
        }
    }

    // MARK: Misses

    /// The first step of `value(for:from:make:)`. Its caller has done the earlier step.
    public enum Step {
        case lookUp
        /// The look-up was a miss.
        case catchUp
    }

    /// The output of a miss.
    public struct Made<Output> {
        let output: Output
        let value: Value?
        let cost: Int

        /// - Parameters:
        ///   - value: The value to cache.
        ///   - cost: The value's size in bytes.
        public init(_ output: Output, caching value: Value, cost: Int) {
            self.output = output
            self.value = value
            self.cost = cost
        }

        /// Something that can't be cached.
        public init(uncached output: Output) {
            self.output = output
            value = nil
            cost = 0
        }
    }

    public enum Outcome<Output> {
        /// - Parameter uncheckedFor: How long ago the value was current, if PostgreSQL could not be
        ///   asked whether it still is.
        case hit(Value, uncheckedFor: Duration?)
        case made(Output, isCached: Bool)
    }

    /// The value of a valid entry, or else a newly made one. Callers that ask for the same key in
    /// the meantime wait, and get the value if it is recent enough for them.
    ///
    /// - Parameter make: Makes the value. If the value is to be cached, its dependencies must be
    ///   noted with the recorder.
    public func value<Output, Failure: Error>(
        for key: Key, from step: Step = .lookUp,
        make: (DependencyRecorder?) async throws(Failure) -> Made<Output>
    ) async throws(Failure) -> Outcome<Output> {
        if step == .lookUp, let hit: Outcome<Output> = await hit(key) { return hit }
        if await feed.catchUp() {
            for _ in 0..<2 {
                if let fill = begin(key) { return try await finish(fill, of: key, make) }
                guard await wait(for: key) else { break }
                // The value may be older than this request.
                if let hit: Outcome<Output> = await hit(key) { return hit }
            }
        }
        return .made(try await make(nil).output, isCached: false)
    }

    /// A value that is being made, to be cached. It ends once, and is forgotten before those that wait for
    /// it go on: so each goes on once.
    @safe private final class Fill {
        /// Notes what the value depends on.
        let recorder: DependencyRecorder
        /// The changes that checks have found since the fill began, and when each check was executed.
        var findings: [(keys: [String], check: Execution?)] = []
        var lostTrack = false
        var waiting: [UnsafeContinuation<Bool, Never>] = unsafe []

        init(_ feed: ChangeFeed) { recorder = DependencyRecorder { await feed.settle() } }

        /// Whether the value, which depends on the keys, may have been read before some change of them.
        func mayLackChanges(of keys: Set<String>) -> Bool {
            findings.contains { finding in
                !(finding.check.map(recorder.follows) ?? false)
                    && !keys.isDisjoint(with: finding.keys)
            }
        }
    }

    /// Not async, since other tasks of the loop may run before an async function does.
    ///
    /// - Returns: `nil` if the same value is being made already.
    private func begin(_ key: Key) -> Fill? {
        guard fills[key] == nil else { return nil }
        let fill = Fill(feed)
        fills[key] = fill
        return fill
    }

    private func finish<Output, Failure: Error>(
        _ fill: Fill, of key: Key,
        _ make: (DependencyRecorder?) async throws(Failure) -> Made<Output>
    ) async throws(Failure) -> Outcome<Output> {
        do throws(Failure) {
            let made = try await make(fill.recorder)
            return .made(made.output, isCached: end(fill, of: key, made.value, cost: made.cost))
        } catch {
            _ = end(fill, of: key, nil, cost: 0)
            throw error
        }
    }

    /// Waits until a pending value is complete.
    ///
    /// - Returns: `false` if the value turned out to be uncacheable.
    private func wait(for key: Key) async -> Bool {
        await unsafe withUnsafeContinuation { continuation in
            // Looked up here, since other tasks of the loop may run before a task suspends.
            guard let fill = fills[key] else { return unsafe continuation.resume(returning: true) }
            unsafe fill.waiting.append(continuation)
        }
    }

    /// - Parameter value: `nil` if the value must not be cached.
    /// - Returns: Whether the value is cached.
    private func end(_ fill: Fill, of key: Key, _ value: Value?, cost: Int) -> Bool {
        fills[key] = nil
        let keys = fill.recorder.keys ?? []
        var canBeCached = value != nil && !keys.isEmpty
        defer { unsafe fill.waiting.forEach { unsafe $0.resume(returning: canBeCached) } }
        events.fills += 1
        guard let value, canBeCached, !fill.lostTrack, !fill.mayLackChanges(of: keys) else {
            return false
        }
        drop(key)
        let cost = cost + keys.reduce(0) { $0 + $1.utf8.count + 64 }
        let entry = Entry(value, keys: Array(keys), epoch: epoch)
        let (isCached, dropped) = entries.insert(entry, for: key, cost: cost)
        for (key, entry) in dropped { forget(key, entry) }
        guard isCached else {
            // The value is too large, and the next one would be, too.
            canBeCached = false
            return false
        }
        for dependency in keys { dependents[dependency, default: []].insert(key) }
        events.cachedFills += 1
        return true
    }

    // MARK: Dropping

    private func note(_ finding: ChangeFeed.Finding, _ check: Execution?) {
        switch finding {
        case .changed(let keys):
            for key in keys {
                for dependent in dependents[key] ?? [] { drop(dependent) }
            }
            guard !keys.isEmpty else { return }
            for fill in fills.values { fill.findings.append((keys, check)) }
        case .lostTrack:
            epoch += 1
            dependents = [:]
            for fill in fills.values { fill.lostTrack = true }
            // While PostgreSQL can't be asked, older values may still be wanted.
            if staleness == .zero || feed.isTracking {
                earliestEpoch = epoch
                entries.removeAll()
            }
        }
    }

    private func drop(_ key: Key) {
        if let entry = entries.remove(key) { forget(key, entry) }
    }

    /// Removes an entry that is gone from the dependents of its keys. The entry no longer learns of
    /// changes of these keys, so callers that have looked it up must not use it.
    private func forget(_ key: Key, _ entry: Entry) {
        entry.isGone = true
        for dependency in entry.keys {
            guard let index = dependents.index(forKey: dependency) else { continue }
            dependents.values[index].remove(key)
            if dependents.values[index].isEmpty { dependents.remove(at: index) }
        }
    }

    // MARK: Statistics

    public var statistics: CacheStatistics {
        var statistics = events
        statistics.count = entries.count
        statistics.bytes = entries.cost
        return statistics
    }
}

extension CheckedCache.Outcome: Sendable where Value: Sendable, Output: Sendable {}

/// A cache's contents, and how often it was used.
public struct CacheStatistics: Sendable {
    public var count = 0
    public var bytes = 0
    /// Entries that were looked up and, after a check, used.
    public var hits = 0
    /// Entries that were used although PostgreSQL could not be asked.
    public var staleHits = 0
    /// Entries that were looked up, and had changed.
    public var outdated = 0
    public var misses = 0
    /// Values that were made.
    public var fills = 0
    /// Values that were made and cached.
    public var cachedFills = 0
}
