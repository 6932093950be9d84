import Foundation
import HTTP
import HTTPTypes
import Sockets
import Synchronization

/// How many requests to the API one client may make in a minute; 0 means any number.
public struct RateLimits: Sendable {
    public var reads = 600
    public var writes = 120

    public init() {}

    func limit(_ isRead: Bool) -> Int { isRead ? reads : writes }
}

/// Counts every client's requests to the API, in one process. All loops share it.
///
/// Each client has a token bucket for reads and one for writes. The buckets refill continuously, so
/// that no one has to wait for a minute to end.
public final class RateLimiter: Sendable {
    struct Key: Hashable, Sendable {
        enum Client: Hashable, Sendable {
            case address(IPNetwork)
            case user(UUID)
        }

        let client: Client
        let isRead: Bool
    }

    /// What is left in a bucket after a request.
    struct Level: Hashable, Sendable {
        /// The number of requests that may follow at once.
        let remaining: Int
        /// The time until the bucket is full again, in seconds.
        let reset: Int
        /// The time until the next request is accepted, in seconds; `nil` if this one was accepted.
        let retryAfter: Int?
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: MonotonicTime

        mutating func fill(at now: MonotonicTime, rate: Double, limit: Int) {
            let elapsed = (now - filledAt) / .seconds(1)
            // Another loop may have read the clock later, but filled the bucket earlier.
            guard elapsed > 0 else { return }
            tokens = min(Double(limit), tokens + elapsed * rate)
            filledAt = now
        }
    }

    /// The buckets in two halves. When the newer half is full, it becomes the older one, and the
    /// buckets of the previous older half are forgotten. So a client that uses ever new addresses
    /// displaces the clients whose last request was long ago.
    private struct Buckets {
        var newer: [Key: Bucket] = [:]
        var older: [Key: Bucket] = [:]
    }

    private let limits: RateLimits
    private let capacity: Int
    private let buckets = Mutex(Buckets())

    /// - Parameter capacity: The largest number of clients known at the same time.
    public init(_ limits: RateLimits, capacity: Int = 65_536) {
        self.limits = limits
        self.capacity = capacity
    }

    /// Counts a request.
    ///
    /// - Returns: `nil` if such requests are not limited.
    func take(_ key: Key, at now: MonotonicTime) -> Level? {
        let limit = limits.limit(key.isRead)
        guard limit > 0 else { return nil }
        let rate = Double(limit) / 60
        return buckets.withLock { buckets in
            var bucket =
                buckets.newer[key] ?? buckets.older[key]
                ?? Bucket(tokens: Double(limit), filledAt: now)
            bucket.fill(at: now, rate: rate, limit: limit)
            let isTaken = bucket.tokens >= 1
            if isTaken { bucket.tokens -= 1 }
            if buckets.newer[key] == nil, buckets.newer.count >= capacity / 2 {
                buckets.older = buckets.newer
                buckets.newer = [:]
            }
            buckets.newer[key] = bucket
            return Level(
                remaining: Int(bucket.tokens),
                reset: Int(((Double(limit) - bucket.tokens) / rate).rounded(.up)),
                retryAfter: isTaken ? nil : max(1, Int(((1 - bucket.tokens) / rate).rounded(.up))))
        }
    }

    /// Takes back the count of a request that costs nothing.
    func giveBack(_ key: Key) {
        let limit = Double(limits.limit(key.isRead))
        buckets.withLock { buckets in
            guard let tokens = buckets.newer[key]?.tokens else { return }
            buckets.newer[key]?.tokens = min(limit, tokens + 1)
        }
    }

    /// For tests: the number of known clients.
    var count: Int { buckets.withLock { $0.newer.count + $0.older.count } }

    func limit(_ isRead: Bool) -> Int { limits.limit(isRead) }
}

/// Whom a request to the API is counted for: the address that it came from, and the user whose
/// token it has.
final class Allowance: Sendable {
    private struct Charge {
        let key: RateLimiter.Key
        let level: RateLimiter.Level
    }

    private let limiter: RateLimiter
    private let isRead: Bool
    private let charges = Mutex<[Charge]>([])

    init(_ limiter: RateLimiter, for request: Request) {
        self.limiter = limiter
        isRead = request.method.isRead
    }

    /// Counts the request.
    ///
    /// - Throws: 429 if the client has sent too many.
    func charge(_ client: RateLimiter.Key.Client) throws(Problem) {
        let key = RateLimiter.Key(client: client, isRead: isRead)
        guard let level = limiter.take(key, at: .read()) else { return }
        charges.withLock { $0.append(Charge(key: key, level: level)) }
        guard let seconds = level.retryAfter else { return }
        var problem = Problem(
            .tooManyRequests,
            "There were more than \(limiter.limit(isRead)) \(isRead ? "reads" : "writes") "
                + "in a minute from \(client.words). Try again in \(seconds) "
                + (seconds == 1 ? "second." : "seconds."))
        problem.headerFields[.retryAfter] = String(seconds)
        throw problem
    }

    /// Takes back the count of a 304, and tells the client how many requests are left, as
    /// draft-ietf-httpapi-ratelimit-headers specifies.
    func settle(_ response: inout Response) {
        let charges = charges.withLock { $0 }
        guard !charges.isEmpty else { return }
        let isFree = response.status == .notModified
        if isFree { for charge in charges { limiter.giveBack(charge.key) } }
        response.headerFields[.rateLimitPolicy] = charges.map {
            "\"\(name(of: $0.key))\";q=\(limiter.limit(isRead));w=60"
        }.joined(separator: ", ")
        response.headerFields[.rateLimit] = charges.map {
            "\"\(name(of: $0.key))\";r=\($0.level.remaining + (isFree ? 1 : 0));t=\($0.level.reset)"
        }.joined(separator: ", ")
    }

    private func name(of key: RateLimiter.Key) -> String {
        let client = if case .address = key.client { "address" } else { "user" }
        return "\(client)-\(isRead ? "reads" : "writes")"
    }
}

extension RateLimiter.Key.Client {
    fileprivate var words: String {
        switch self {
        case .address: "your address"
        case .user: "you"
        }
    }
}
