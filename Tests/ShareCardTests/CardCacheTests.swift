import Testing

@testable import ShareCard

@Suite("The cache of cards")
struct CardCacheTests {
    @Test("keeps what was asked for last")
    func count() {
        var cache = CardCache(countLimit: 2, byteLimit: 1000)
        cache.insert([1], for: "a")
        cache.insert([2], for: "b")
        #expect(cache.png(for: "a") == [1])
        cache.insert([3], for: "c")
        #expect(cache.png(for: "a") == [1])
        #expect(cache.png(for: "b") == nil)
        #expect(cache.png(for: "c") == [3])
        #expect(cache.count == 2)
        #expect(cache.byteCount == 2)
    }

    @Test("keeps no more bytes than it may")
    func bytes() {
        var cache = CardCache(countLimit: 100, byteLimit: 100)
        for number in 0..<10 {
            cache.insert([UInt8](repeating: 0, count: 30), for: "\(number)")
            #expect(cache.byteCount <= 100)
        }
        #expect(cache.count == 3)
        cache.insert([UInt8](repeating: 0, count: 101), for: "large")
        #expect(cache.png(for: "large") == nil)
        #expect(cache.count == 3)
        cache.insert([UInt8](repeating: 1, count: 100), for: "full")
        #expect(cache.count == 1)
        cache.insert([1, 2], for: "full")
        #expect(cache.byteCount == 2)
    }

    @Test("may be none")
    func none() {
        var cache = CardCache(countLimit: 0, byteLimit: 1000)
        cache.insert([1], for: "a")
        #expect(cache.png(for: "a") == nil)
        #expect(cache.byteCount == 0)
    }
}
