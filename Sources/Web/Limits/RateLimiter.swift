import Foundation
import HTTP
import HTTPTypes
import Sockets
import Synchronization

/// How many requests to the API one client may make in a minute; 0 for any number.
public struct RateLimits: Sendable {
    public var reads = 600
    public var writes = 120

    public init() {}

    func limit(_ isRead: Bool) -> Int { isRead ? reads : writes }
}

/// Counts the requests of every client to the API, in one process: a bucket of tokens for each that
/// refills by itself, so that nobody waits for a minute to end. All loops share it.
public final class RateLimiter: Sendable {
    struct Key: Hashable, Sendable {
        enum Client: Hashable, Sendable {
            case address(IPNetwork)
            case user(UUID)
        }

        let client: Client
        let isRead: Bool
    }

    /// What a bucket holds after a request.
    struct Level: Hashable, Sendable {
        /// Requests that may follow at once.
        let remaining: Int
        /// Until the bucket is full again, in seconds.
        let reset: Int
        /// Until the next request is taken, in seconds; `nil` if this one was.
        let retryAfter: Int?
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: MonotonicTime

        mutating func fill(at now: MonotonicTime, rate: Double, limit: Int) {
            let elapsed = (now - filledAt) / .seconds(1)
            // Loops read the clock one after another.
            guard elapsed > 0 else { return }
            tokens = min(Double(limit), tokens + elapsed * rate)
            filledAt = now
        }
    }

    /// The newer half of the buckets, and the older one, which is forgotten when the newer is full:
    /// a client that comes from ever new addresses displaces those that have not come for long.
    private struct Buckets {
        var newer: [Key: Bucket] = [:]
        var older: [Key: Bucket] = [:]
    }

    private let limits: RateLimits
    private let capacity: Int
    private let buckets = Mutex(Buckets())

    /// - Parameter capacity: The most clients that are known at once.
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

    /// Takes back the count of a request that cost nothing.
    func giveBack(_ key: Key) {
        let limit = Double(limits.limit(key.isRead))
        buckets.withLock { buckets in
            guard let tokens = buckets.newer[key]?.tokens else { return }
            buckets.newer[key]?.tokens = min(limit, tokens + 1)
        }
    }

    /// For tests: how many clients are known.
    var count: Int { buckets.withLock { $0.newer.count + $0.older.count } }

    func limit(_ isRead: Bool) -> Int { limits.limit(isRead) }
}

/// What one request to the API is counted for: the address that it came from, and the user whose
/// token came with it.
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
    /// - Throws: 429 if there were too many.
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

    /// Tells the client how much is left, as draft-ietf-httpapi-ratelimit-headers has it.
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
