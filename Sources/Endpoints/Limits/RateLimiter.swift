package import Foundation
package import Sockets
import Synchronization

/// Counts what every client's requests cost, in one process. All loops share it.
///
/// Each client has a token bucket for each budget. The buckets refill continuously, so that no one
/// has to wait for a minute to end. IPv6 networks of the same site share larger buckets, too.
///
/// The buckets are spread over several locks, which are held for some hundred nanoseconds each, so
/// that loops hardly ever wait for each other.
public final class RateLimiter: Sendable {
    package struct Key: Hashable, Sendable {
        package enum Client: Hashable, Sendable {
            case address(IPNetwork)
            case user(UUID)
        }

        package let client: Client
        package let budget: RateLimits.Budget

        package init(client: Client, budget: RateLimits.Budget) {
            self.client = client
            self.budget = budget
        }

        /// Of the sites that the client's network is part of, the narrowest first.
        fileprivate var sites: [(key: Key, allowance: Int)] {
            guard case .address(let network) = client else { return [] }
            return network.sites.map {
                (Key(client: .address($0.network), budget: budget), $0.allowance)
            }
        }
    }

    /// The remaining units in a client's buckets after a request.
    package struct Level: Hashable, Sendable {
        /// The number of units that may follow at once.
        package let remaining: Int
        /// The time until the buckets are full again, in seconds.
        package let reset: Int
        /// The time until the same request is accepted, in seconds; `nil` if this one was accepted.
        package let retryAfter: Int?
    }

    private struct Bucket {
        /// In tenths of a unit.
        var tokens: Double
        var filledAt: MonotonicTime

        mutating func fill(at now: MonotonicTime, _ size: Size) {
            let elapsed = (now - filledAt) / .seconds(1)
            // Another loop may have read the clock later, but filled the bucket earlier.
            guard elapsed > 0 else { return }
            tokens = min(size.tokens, tokens + elapsed * size.rate)
            filledAt = now
        }

        /// In seconds; 0 or less if the bucket has so much.
        func wait(for price: Double, _ size: Size) -> Double { (price - tokens) / size.rate }
    }

    private struct Size {
        let tokens: Double
        /// How many tokens come back in a second.
        var rate: Double { tokens / 60 }

        init(units: Int) { tokens = Double(units) * 10 }
    }

    /// The buckets in two halves. When the newer half is full, it becomes the older one, and the
    /// buckets of the previous older half are forgotten. So a client that uses ever new addresses
    /// displaces the clients whose last request was long ago.
    private struct Buckets {
        var newer: [Key: Bucket] = [:]
        var older: [Key: Bucket] = [:]

        func bucket(_ key: Key, _ size: Size, at now: MonotonicTime) -> Bucket {
            var bucket =
                newer[key] ?? older[key] ?? Bucket(tokens: size.tokens, filledAt: now)
            bucket.fill(at: now, size)
            return bucket
        }

        mutating func keep(_ bucket: Bucket, _ key: Key, capacity: Int) {
            if newer.count >= capacity / 2, newer[key] == nil {
                older = newer
                newer = [:]
            }
            newer[key] = bucket
        }
    }

    /// The buckets of some clients. A client's sites are in the same part.
    private final class Part: Sendable {
        let buckets = Mutex(Buckets())
    }

    private let limits: RateLimits
    private let capacityOfPart: Int
    private let parts: [Part]

    /// - Parameters:
    ///   - capacity: The largest number of buckets at the same time.
    ///   - parts: How many locks there are.
    public init(_ limits: RateLimits, capacity: Int = 131_072, parts: Int = 16) {
        self.limits = limits
        capacityOfPart = capacity / parts
        self.parts = (0..<parts).map { _ in Part() }
    }

    /// Counts a request, unless the client has used up its limit. A request that costs more than
    /// the whole limit is accepted when nothing else was.
    ///
    /// - Returns: `nil` if such requests are not limited.
    package func take(_ key: Key, _ cost: Cost = .plain, at now: MonotonicTime) -> Level? {
        let limit = limits.limit(key.budget)
        guard limit > 0 else { return nil }
        let size = Size(units: limit)
        let price = min(Double(cost.tenths), size.tokens)
        let sites = key.sites
        let place = (sites.last?.key ?? key).hashValue
        let part = parts[Int(UInt(bitPattern: place) % UInt(parts.count))]
        return part.buckets.withLock { buckets in
            var own = buckets.bucket(key, size, at: now)
            var shared = sites.map { site in
                let size = Size(units: limit * site.allowance)
                return (key: site.key, size: size, bucket: buckets.bucket(site.key, size, at: now))
            }
            let wait = shared.reduce(own.wait(for: price, size)) {
                max($0, $1.bucket.wait(for: price, $1.size))
            }
            if wait <= 0 {
                own.tokens -= price
                for index in shared.indices { shared[index].bucket.tokens -= price }
            }
            buckets.keep(own, key, capacity: capacityOfPart)
            for site in shared { buckets.keep(site.bucket, site.key, capacity: capacityOfPart) }
            let reset = shared.reduce(own.wait(for: size.tokens, size)) {
                max($0, $1.bucket.wait(for: $1.size.tokens, $1.size))
            }
            let remaining = shared.reduce(own.tokens) { min($0, $1.bucket.tokens) }
            return Level(
                remaining: Int(remaining / 10), reset: Int(reset.rounded(.up)),
                retryAfter: wait <= 0 ? nil : max(1, Int(wait.rounded(.up))))
        }
    }

    /// For tests: the number of buckets.
    package var count: Int {
        parts.reduce(0) { $0 + $1.buckets.withLock { $0.newer.count + $0.older.count } }
    }

    package func limit(_ budget: RateLimits.Budget) -> Int { limits.limit(budget) }
}
