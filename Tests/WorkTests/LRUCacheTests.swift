import Testing
import Work

@Suite("The cache of what was used last")
struct LRUCacheTests {
    @Test("keeps what was used last")
    func count() {
        let cache = LRUCache<String, Int>(countLimit: 3)
        for (number, key) in ["a", "b", "c"].enumerated() { cache.insert(number, for: key) }
        #expect(cache["a"] == 0)
        cache.insert(3, for: "d")
        #expect(cache["b"] == nil)
        #expect(cache["c"] == 2)
        cache.insert(4, for: "e")
        #expect([cache["a"], cache["c"], cache["d"], cache["e"]] == [nil, 2, 3, 4])
        cache.insert(5, for: "d")
        #expect(cache["d"] == 5)
        #expect(cache.count == 3)
        #expect(cache.cost == 3)
    }

    @Test("costs no more than it may")
    func cost() {
        let cache = LRUCache<String, [UInt8]>(countLimit: 100, costLimit: 100) { $0.count }
        for number in 0..<10 {
            cache.insert([UInt8](repeating: 0, count: 30), for: "\(number)")
            #expect(cache.cost <= 100)
        }
        #expect(cache.count == 3)
        cache.insert([UInt8](repeating: 0, count: 101), for: "large")
        #expect(cache["large"] == nil)
        #expect(cache.count == 3)
        cache.insert([UInt8](repeating: 1, count: 100), for: "full")
        #expect(cache.count == 1)
        cache.insert([1, 2], for: "full")
        #expect(cache.cost == 2)
    }

    @Test("may be none")
    func none() {
        let cache = LRUCache<Int, Int>(countLimit: 0)
        cache.insert(1, for: 1)
        #expect(cache[1] == nil)
        #expect(cache.cost == 0)
    }

    @Test("does what a list in the order of use does", arguments: 0..<20)
    func model(seed: Int) {
        var generator = SystemRandomNumberGenerator()
        let limit = Int.random(in: 1...8, using: &generator)
        let cache = LRUCache<Int, Int>(countLimit: limit)
        var model: [(key: Int, value: Int)] = []
        for value in 0..<2000 {
            let key = Int.random(in: 0..<12, using: &generator)
            let known = model.first { $0.key == key }
            model.removeAll { $0.key == key }
            if Bool.random(using: &generator) {
                cache.insert(value, for: key)
                if model.count == limit { model.removeFirst() }
                model.append((key, value))
            } else {
                #expect(cache[key] == known?.value)
                if let known { model.append(known) }
            }
            #expect(cache.count == model.count)
        }
    }
}
