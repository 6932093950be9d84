import Synchronization

/// A cache of the most recently used values, bounded in number and in total cost. Any thread may
/// use it.
///
/// A new value stays until everything older is gone, and may fill the whole cache. Callers that
/// read back their own values rely on both. `S3FIFOCache` promises neither.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let cost: Int
        /// The keys of the entry's neighbours in the order of use.
        var older: Key?
        var newer: Key?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var cost = 0
        var oldest: Key?
        var newest: Key?

        mutating func remove(_ key: Key) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            cost -= entry.cost
            if let older = entry.older { entries[older]?.newer = entry.newer }
            if let newer = entry.newer { entries[newer]?.older = entry.older }
            if oldest == key { oldest = entry.newer }
            if newest == key { newest = entry.older }
            return entry
        }

        mutating func append(_ value: Value, _ cost: Int, _ key: Key) {
            entries[key] = Entry(value: value, cost: cost, older: newest, newer: nil)
            if let newest { entries[newest]?.newer = key }
            newest = key
            oldest = oldest ?? key
            self.cost += cost
        }
    }

    private let countLimit: Int
    private let costLimit: Int
    private let costOf: @Sendable (Value) -> Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - countLimit: The largest number of values.
    ///   - costLimit: The largest total cost.
    ///   - cost: Returns a value's cost.
    public init(
        countLimit: Int, costLimit: Int = .max,
        cost: @escaping @Sendable (Value) -> Int = { _ in 1 }
    ) {
        self.countLimit = countLimit
        self.costLimit = costLimit
        costOf = cost
    }

    public var count: Int { state.withLock { $0.entries.count } }

    /// The total cost of all values.
    public var cost: Int { state.withLock { $0.cost } }

    /// The value for a key, which becomes the most recently used one.
    public subscript(key: Key) -> Value? {
        state.withLock { state in
            guard let entry = state.remove(key) else { return nil }
            state.append(entry.value, entry.cost, key)
            return entry.value
        }
    }

    /// Adds a value, and removes the least recently used ones to make room. A value whose own cost
    /// exceeds the limit is not added.
    public func insert(_ value: Value, for key: Key) {
        let cost = costOf(value)
        state.withLock { state in
            guard countLimit > 0, cost <= costLimit else { return }
            _ = state.remove(key)
            while state.entries.count >= countLimit || state.cost > costLimit - cost,
                let oldest = state.oldest
            {
                _ = state.remove(oldest)
            }
            state.append(value, cost, key)
        }
    }
}
