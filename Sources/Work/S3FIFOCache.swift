import DequeModule

/// A cache that is bounded in total cost, and that a scan of many values, each used once, can't
/// flush. A crawler's visit to all pages is such a scan. `LRUCache` is simpler if there are no
/// scans.
///
/// It is S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023). A new
/// value enters a small queue, which has a tenth of the room. At that queue's end it is dropped,
/// unless it was used in the meantime: then it moves to the main queue. There, values get another
/// round as long as they are used. A value that comes back soon after it was dropped enters the
/// main queue at once.
public struct S3FIFOCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let cost: Int
        /// Distinguishes this entry from an earlier one with the same key, which may still be in a
        /// queue.
        let id: Int
        var uses: UInt8 = 0
        var isInMain: Bool
    }

    private struct Place {
        let key: Key
        let id: Int
    }

    private var entries: [Key: Entry] = [:]
    private var small: Deque<Place> = []
    private var main: Deque<Place> = []
    /// The hashes of the keys that were dropped from the small queue, the latest last.
    private var ghosts: Deque<Int> = []
    private var ghostSet: Set<Int> = []
    private var smallCost = 0
    private var mainCost = 0
    private var lastID = 0
    private let costLimit: Int

    public init(costLimit: Int) { self.costLimit = costLimit }

    public var count: Int { entries.count }

    /// The total cost of all values.
    public var cost: Int { smallCost + mainCost }

    /// A value, without counting as a use.
    public subscript(key: Key) -> Value? { entries[key]?.value }

    /// A value, which counts as used.
    public mutating func use(_ key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        if entries.values[index].uses < 3 { entries.values[index].uses += 1 }
        return entries.values[index].value
    }

    /// Adds or replaces a value. A value that would take more than a quarter of the room isn't stored.
    ///
    /// - Returns: Whether the value is stored, and the values that were dropped for it.
    public mutating func insert(
        _ value: Value, for key: Key, cost: Int
    ) -> (isStored: Bool, dropped: [(key: Key, value: Value)]) {
        remove(key)
        guard cost <= costLimit / 4 else { return (false, []) }
        lastID += 1
        let isKnown = ghostSet.contains(key.hashValue)
        entries[key] = Entry(value: value, cost: cost, id: lastID, isInMain: isKnown)
        append(Place(key: key, id: lastID), toMain: isKnown, cost)
        var dropped: [(key: Key, value: Value)] = []
        while self.cost > costLimit, let entry = dropOne() { dropped.append(entry) }
        tidy()
        return (entries[key] != nil, dropped)
    }

    /// - Returns: The removed value.
    @discardableResult
    public mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        count(entry, -1)
        return entry.value
    }

    public mutating func removeAll() { self = S3FIFOCache(costLimit: costLimit) }

    private mutating func append(_ place: Place, toMain: Bool, _ cost: Int) {
        if toMain {
            main.append(place)
            mainCost += cost
        } else {
            small.append(place)
            smallCost += cost
        }
    }

    private mutating func count(_ entry: Entry, _ sign: Int) {
        if entry.isInMain { mainCost += sign * entry.cost } else { smallCost += sign * entry.cost }
    }

    /// - Returns: The value that was dropped; `nil` if there are none.
    private mutating func dropOne() -> (key: Key, value: Value)? {
        while !entries.isEmpty {
            let isSmall = smallCost > costLimit / 10 || mainCost == 0
            guard let place = isSmall ? small.popFirst() : main.popFirst() else { return nil }
            // A value that was removed or replaced has left its place behind.
            guard let entry = entries[place.key], entry.id == place.id else { continue }
            if entry.uses > 0 {
                count(entry, -1)
                entries[place.key]?.isInMain = true
                entries[place.key]?.uses = entry.isInMain ? entry.uses - 1 : 0
                append(place, toMain: true, entry.cost)
                continue
            }
            remove(place.key)
            if isSmall { remember(place.key) }
            return (place.key, entry.value)
        }
        return nil
    }

    private mutating func remember(_ key: Key) {
        if ghostSet.insert(key.hashValue).inserted { ghosts.append(key.hashValue) }
        while ghosts.count > max(entries.count, 64), let oldest = ghosts.popFirst() {
            ghostSet.remove(oldest)
        }
    }

    /// Removes the places that removed values have left behind, once they are many.
    private mutating func tidy() {
        guard small.count + main.count > 2 * entries.count + 64 else { return }
        small.removeAll { entries[$0.key]?.id != $0.id }
        main.removeAll { entries[$0.key]?.id != $0.id }
    }
}
