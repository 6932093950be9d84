import Synchronization

/// The values that were used most recently, within a number and a cost. Any thread may use it.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let cost: Int
        /// Its neighbours in the order of use.
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
    ///   - countLimit: How many are kept.
    ///   - costLimit: The most that all of them may cost.
    ///   - cost: What a value costs.
    public init(
        countLimit: Int, costLimit: Int = .max,
        cost: @escaping @Sendable (Value) -> Int = { _ in 1 }
    ) {
        self.countLimit = countLimit
        self.costLimit = costLimit
        costOf = cost
    }

    public var count: Int { state.withLock { $0.entries.count } }

    /// What all values cost.
    public var cost: Int { state.withLock { $0.cost } }

    /// The value, which counts as used.
    public subscript(key: Key) -> Value? {
        state.withLock { state in
            guard let entry = state.remove(key) else { return nil }
            state.append(entry.value, entry.cost, key)
            return entry.value
        }
    }

    /// Keeps a value, and lets go those that were not used for longest.
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
