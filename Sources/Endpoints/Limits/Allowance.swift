package import HTTP
import HTTPTypes
import Languages
import Sockets
import Synchronization

/// The clients that a request is counted for: the address that it came from, and for the API the owner
/// of its token.
package final class Allowance: Sendable {
    private struct Charge {
        let key: RateLimiter.Key
        var level: RateLimiter.Level
    }

    private let limiter: RateLimiter
    private let budget: RateLimits.Budget
    private let cost: Cost
    private let charges = Mutex<[Charge]>([])

    /// - Parameter cost: What the request costs each client that it is counted for.
    package init(_ limiter: RateLimiter, _ budget: RateLimits.Budget, _ cost: Cost) {
        self.limiter = limiter
        self.budget = budget
        self.cost = cost
    }

    /// Counts the request for a client, once.
    ///
    /// - Throws: 429 if the client has used up its limit.
    package func charge(_ client: RateLimiter.Key.Client) throws(Problem) {
        let key = RateLimiter.Key(client: client, budget: budget)
        guard !charges.withLock({ $0.contains { $0.key == key } }) else { return }
        try take(key, cost)
    }

    /// Counts what the request costs more than it seemed to, for all its clients.
    ///
    /// - Throws: 429 if one of them has used up its limit.
    package func charge(_ more: Cost) throws(Problem) {
        for key in charges.withLock({ $0.map(\.key) }) { try take(key, more) }
    }

    private func take(_ key: RateLimiter.Key, _ cost: Cost) throws(Problem) {
        guard let level = limiter.take(key, cost, at: .read()) else { return }
        charges.withLock { charges in
            charges.removeAll { $0.key == key }
            charges.append(Charge(key: key, level: level))
        }
        if let seconds = level.retryAfter {
            throw Problem(tooManyFrom: key, limit: limiter.limit(budget), retryAfter: seconds)
        }
    }

    /// Tells a client of the API how many units are left, as draft-ietf-httpapi-ratelimit-headers
    /// specifies.
    package func settle(_ response: inout Response) {
        guard budget != .pages else { return }
        let charges = charges.withLock { $0 }
        guard !charges.isEmpty else { return }
        response.headerFields[.rateLimitPolicy] = charges.map {
            "\"\(name(of: $0.key))\";q=\(limiter.limit(budget));w=60"
        }.joined(separator: ", ")
        response.headerFields[.rateLimit] = charges.map {
            "\"\(name(of: $0.key))\";r=\($0.level.remaining);t=\($0.level.reset)"
        }.joined(separator: ", ")
    }

    private func name(of key: RateLimiter.Key) -> String {
        let client = if case .address = key.client { "address" } else { "user" }
        return "\(client)-\(budget == .reads ? "reads" : "writes")"
    }
}

extension RateLimiter {
    /// Counts a request that needs no `Allowance`.
    ///
    /// - Throws: 429 if the client has used up its limit.
    package func charge(_ key: Key, _ cost: Cost) throws(Problem) {
        guard let seconds = take(key, cost, at: .read())?.retryAfter else { return }
        throw Problem(tooManyFrom: key, limit: limit(key.budget), retryAfter: seconds)
    }
}

extension Problem {
    fileprivate init(tooManyFrom key: RateLimiter.Key, limit: Int, retryAfter seconds: Int) {
        let client = if case .address = key.client { "your address" } else { "you" }
        let whatHappened =
            switch key.budget {
            case .reads:
                "Reads from \(client) have used up the limit of \(limit) units a minute."
            case .writes:
                "Writes from \(client) have used up the limit of \(limit) units a minute."
            case .pages:
                "That was a lot of pages in a minute. Nothing is lost."
            }
        self.init(
            .tooManyRequests,
            .english(
                "\(whatHappened) Try again in \(seconds) \(seconds == 1 ? "second." : "seconds.")"))
        headerFields[.retryAfter] = String(seconds)
    }
}
