import Foundation
import Sockets
import Testing

@testable import Endpoints

@Suite("The number of a client's requests")
struct RateLimiterTests {
    private static func limiter(reads: Int, writes: Int = 1, capacity: Int = 100) -> RateLimiter {
        var limits = RateLimits()
        limits.reads = reads
        limits.writes = writes
        return RateLimiter(limits, capacity: capacity, parts: 1)
    }

    /// A key of one of many networks, which differ as the names do.
    private static func key(_ name: String, _ budget: RateLimits.Budget = .reads) -> RateLimiter.Key
    {
        let number = name.utf8.reduce(UInt64(0)) { $0 &* 131 &+ UInt64($1) }
        let text = (0..<4).map {
            String(UInt16(truncatingIfNeeded: number >> ($0 * 16)), radix: 16)
        }
        let network = IPNetwork("2001:db8:\(text.joined(separator: ":"))::")
        guard let network else { preconditionFailure("\(text) is no address") }
        return RateLimiter.Key(client: .address(network), budget: budget)
    }

    private static func second(_ number: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(number * 1_000_000_000))
    }

    @Test("runs out, and comes back little by little")
    func refills() throws {
        let limiter = Self.limiter(reads: 3)
        let key = Self.key("a")
        for remaining in [2, 1, 0] {
            let level = try #require(limiter.take(key, at: Self.second(0)))
            #expect(level.remaining == remaining)
            #expect(level.reset == (3 - remaining) * 20)
            #expect(level.retryAfter == nil)
        }
        #expect(limiter.take(key, at: Self.second(0))?.retryAfter == 20)
        #expect(limiter.take(key, at: Self.second(19))?.retryAfter == 1)
        #expect(limiter.take(key, at: Self.second(20))?.retryAfter == nil)
        #expect(limiter.take(key, at: Self.second(20))?.retryAfter == 20)
        #expect(limiter.take(key, at: Self.second(200))?.remaining == 2, "never more than all")
    }

    @Test("is taken what a request costs more from everyone who is charged for the request")
    func surcharges() throws {
        let limiter = Self.limiter(reads: 1000)
        let clients: [RateLimiter.Key.Client] = [Self.key("a").client, .user(UUID())]
        let allowance = Allowance(limiter, .reads, .plain)
        for client in clients { try allowance.charge(client) }
        try allowance.charge(.units(900))
        for client in clients {
            let key = RateLimiter.Key(client: client, budget: .reads)
            #expect(limiter.take(key, .units(500), at: .read())?.retryAfter != nil, "\(client)")
        }
    }

    @Test("does not mind a clock that was read a little earlier")
    func earlier() {
        let limiter = Self.limiter(reads: 3)
        #expect(limiter.take(Self.key("a"), at: Self.second(5))?.remaining == 2)
        #expect(limiter.take(Self.key("a"), at: Self.second(4))?.remaining == 1)
    }

    @Test("is each client's own, and reads and writes are counted apart")
    func clients() {
        let limiter = Self.limiter(reads: 1, writes: 1)
        let now = Self.second(0)
        let user = RateLimiter.Key(client: .user(UUID()), budget: .reads)
        for key in [Self.key("a"), Self.key("b"), Self.key("a", .writes), user] {
            #expect(limiter.take(key, at: now)?.retryAfter == nil)
            #expect(limiter.take(key, at: now)?.retryAfter == 60)
        }
    }

    @Test("is a number of units, of which some requests cost more and some less than one")
    func costs() {
        let limiter = Self.limiter(reads: 6)
        let (key, now) = (Self.key("a"), Self.second(0))
        #expect(limiter.take(key, .plain + .search, at: now)?.remaining == 1)
        #expect(limiter.take(key, .plain + .search, at: now)?.retryAfter == 40)
        for _ in 0..<10 { #expect(limiter.take(key, .cached, at: now)?.retryAfter == nil) }
        #expect(limiter.take(key, .cached, at: now)?.retryAfter == 1)
        #expect(limiter.take(key, .nothing, at: now)?.retryAfter == nil)
    }

    @Test("lets through what costs more than all, but only from those who did nothing else")
    func dearerThanAll() {
        let limiter = Self.limiter(reads: 3)
        let key = Self.key("a")
        #expect(limiter.take(key, .units(20), at: Self.second(0))?.remaining == 0)
        #expect(limiter.take(key, .units(20), at: Self.second(59))?.retryAfter == 1)
        #expect(limiter.take(key, .units(20), at: Self.second(60))?.retryAfter == nil)
    }

    @Test("is that of one neighbour for all networks of a /56, which may do four times as much")
    func sites() throws {
        func key(_ network: String) throws -> RateLimiter.Key {
            .init(client: .address(try #require(IPNetwork(network))), budget: .reads)
        }
        let limiter = Self.limiter(reads: 2)
        let now = Self.second(0)
        var accepted = 0
        for network in 0..<10 {
            for _ in 0..<3 {
                let key = try key("2001:db8:1:20\(network)::/64")
                if limiter.take(key, at: now)?.retryAfter == nil { accepted += 1 }
            }
        }
        #expect(accepted == 8)
        // Nobody else is concerned.
        let neighbour = try key("2001:db8:1:300::/64")
        #expect(limiter.take(neighbour, at: now)?.retryAfter == nil)
        #expect(limiter.take(try key("192.0.2.1"), at: now)?.retryAfter == nil)
        // What is refused to one network isn't taken from its site.
        let later = Self.second(60)
        let first = try key("2001:db8:1:200::/64")
        for _ in 0..<20 { _ = limiter.take(first, at: later) }
        for network in 1..<4 {
            for _ in 0..<2 {
                let level = limiter.take(try key("2001:db8:1:20\(network)::/64"), at: later)
                #expect(level?.retryAfter == nil)
            }
        }
        #expect(limiter.take(try key("2001:db8:1:209::/64"), at: later)?.retryAfter == 8)
    }

    @Test("is that of one neighbour for all sites of a /48, which may do eight times as much")
    func organisations() throws {
        let limiter = Self.limiter(reads: 2, capacity: 1000)
        let accepted = try (0..<256).count { number in
            let network = "2001:db8:1:\(String(number * 256, radix: 16))::/64"
            let key = RateLimiter.Key(
                client: .address(try #require(IPNetwork(network))), budget: .reads)
            return limiter.take(key, at: Self.second(0))?.retryAfter == nil
        }
        #expect(accepted == 16)
        let other = try #require(IPNetwork("2001:db8:2::/64"))
        let key = RateLimiter.Key(client: .address(other), budget: .reads)
        #expect(limiter.take(key, at: Self.second(0))?.retryAfter == nil)
    }

    @Test("is the same however many locks there are, and for many threads at once")
    func parts() async {
        for parts in [1, 16] {
            var limits = RateLimits()
            limits.pages = 100
            let limiter = RateLimiter(limits, capacity: 10_000, parts: parts)
            let accepted = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        (0..<1000).count { number in
                            let key = Self.key("\(number % 10)", .pages)
                            return limiter.take(key, at: Self.second(0))?.retryAfter == nil
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(accepted == 1000)
        }
    }

    @Test("is not counted where there is no limit")
    func off() {
        let limiter = Self.limiter(reads: 0)
        #expect(limiter.take(Self.key("a"), at: Self.second(0)) == nil)
        #expect(limiter.count == 0)
    }

    @Test("is kept for so many clients only, first for those that come often")
    func bounded() {
        let limiter = Self.limiter(reads: 1000, capacity: 10)
        let now = Self.second(0)
        for number in 0..<1000 {
            _ = limiter.take(Self.key("often"), at: now)
            _ = limiter.take(Self.key("\(number)"), at: now)
            #expect(limiter.count <= 10)
        }
        #expect(limiter.take(Self.key("often"), at: now)?.retryAfter != nil)
    }
}
