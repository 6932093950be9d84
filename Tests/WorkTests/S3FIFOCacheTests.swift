import Testing
import Work

@Suite("The cache that a scan does not flush")
struct S3FIFOCacheTests {
    @Test("costs no more than it may, and tells what it has dropped", arguments: 0..<20)
    func model(seed: Int) {
        let limit = Int.random(in: 40...400)
        var cache = S3FIFOCache<Int, Int>(costLimit: limit)
        var model: [Int: (value: Int, cost: Int)] = [:]
        for value in 0..<3000 {
            let key = Int.random(in: 0..<60)
            switch Int.random(in: 0..<10) {
            case 0:
                #expect(cache.remove(key) == model.removeValue(forKey: key)?.value)
            case 1..<5:
                let cost = Int.random(in: 1...limit / 3)
                let (isStored, dropped) = cache.insert(value, for: key, cost: cost)
                model[key] = (value, cost)
                for (key, value) in dropped {
                    #expect(model.removeValue(forKey: key)?.value == value)
                }
                if cost > limit / 4 { model[key] = nil }
                #expect(isStored == (model[key] != nil))
            default:
                #expect(cache[key] == model[key]?.value)
                #expect(cache.use(key) == model[key]?.value)
            }
            #expect(cache.count == model.count)
            #expect(cache.cost == model.values.reduce(0) { $0 + $1.cost })
            #expect(cache.cost <= limit)
        }
    }

    @Test("keeps what is used while many others are used once")
    func scan() {
        var cache = S3FIFOCache<Int, String>(costLimit: 100)
        for key in 0..<50 { _ = cache.insert("hot", for: key, cost: 1) }
        for key in 0..<50 { _ = cache.use(key) }
        for key in 1000..<11_000 {
            _ = cache.insert("once", for: key, cost: 1)
            if key.isMultiple(of: 50) { for hot in 0..<50 { _ = cache.use(hot) } }
        }
        #expect((0..<50).allSatisfy { cache[$0] == "hot" })
    }

    @Test("takes in what comes back soon after it was dropped")
    func ghosts() {
        var cache = S3FIFOCache<Int, Int>(costLimit: 100)
        for key in 0..<95 {
            _ = cache.insert(key, for: key, cost: 1)
            _ = cache.use(key)
        }
        for key in 100..<120 { _ = cache.insert(key, for: key, cost: 1) }
        #expect(cache[100] == nil, "it was used once")
        _ = cache.insert(100, for: 100, cost: 1)
        for key in 200..<230 { _ = cache.insert(key, for: key, cost: 1) }
        #expect(cache[100] == 100)
    }

    @Test("keeps nothing that would push out a quarter of the rest, and forgets everything at once")
    func large() {
        var cache = S3FIFOCache<Int, Int>(costLimit: 100)
        #expect(cache.insert(1, for: 1, cost: 25).isStored)
        #expect(!cache.insert(2, for: 2, cost: 26).isStored)
        #expect(!cache.insert(3, for: 1, cost: 26).isStored)
        #expect(cache[1] == nil)
        _ = cache.insert(4, for: 4, cost: 25)
        cache.removeAll()
        #expect(cache.count == 0 && cache.cost == 0 && cache[4] == nil)
    }
}
