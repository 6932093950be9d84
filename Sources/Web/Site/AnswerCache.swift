import HTTP
import HTTPTypes
import Postgres
import Storage

/// The finished answers of one loop that come from the database and are the same for everyone who is
/// not signed in. Confined to its loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class AnswerCache: @unchecked Sendable {
    struct Key: Hashable, Sendable {
        let path: String
        let query: String?
        let isCoded: Bool

        fileprivate var size: Int { path.utf8.count + (query?.utf8.count ?? 0) }
    }

    struct Value {
        let answer: FinishedAnswer
        let kind: AddressKind
    }

    typealias Fill = CheckedCache<Key, Value>.Fill

    /// A kept answer that suits a request.
    struct Found {
        let response: Response
        let kind: AddressKind
        /// The time since the answer was known to be current, if PostgreSQL could not be asked
        /// whether it still is.
        let age: Duration?

        /// Says in the response where it comes from.
        func note(in response: inout Response) {
            response.headerFields[.cacheStatus] = CacheStatus.hit(age: age)
            if let age { response.headerFields[.age] = String(age.components.seconds) }
        }
    }

    private let cache: CheckedCache<Key, Value>
    private var coding = CodingChoice()

    /// - Parameters:
    ///   - bytes: How much memory the answers may take, roughly.
    ///   - staleness: How long answers are used while PostgreSQL can't be asked.
    init(_ feed: ChangeFeed, bytes: Int, staleness: Duration) {
        cache = CheckedCache(feed, bytes: bytes, staleness: staleness)
    }

    var statistics: CacheStatistics { cache.statistics }

    func key(of request: Request) -> Key {
        Key(
            path: request.target.path, query: request.target.query,
            isCoded: coding.prefersGzip(request))
    }

    // MARK: Finding

    /// Looks for an answer, and checks that it is current.
    ///
    /// - Parameter done: Called once, on the loop, if there is an answer: with `nil` if it is not
    ///   current.
    /// - Returns: Whether there is an answer.
    func find(_ request: Request, _ done: @escaping (Found?) -> Void) -> Bool {
        guard FinishedAnswer.maySuit(request), let kept = cache.find(key(of: request)),
            let response = kept.value.answer.response(to: request)
        else { return false }
        cache.check(kept) { verdict in
            switch verdict {
            case .current: done(Found(response: response, kind: kept.value.kind, age: nil))
            case .possiblyStale(let age):
                done(Found(response: response, kind: kept.value.kind, age: age))
            case .outdated: done(nil)
            }
        }
        return true
    }

    /// The answer, if there is one and it is current.
    func current(_ request: Request) async -> Found? {
        await withUnsafeContinuation { continuation in
            let isFound = find(request) { continuation.resume(returning: $0) }
            if !isFound { continuation.resume(returning: nil) }
        }
    }

    // MARK: Filling

    /// Begins to make an answer. It must be ended with `end(_:_:_:)`.
    ///
    /// - Returns: `nil` if the same answer is being made already.
    func begin(_ key: Key) -> Fill? { cache.begin(key) }

    /// Waits until an answer that is being made is made.
    ///
    /// - Returns: `false` if it turned out to be one that can't be kept.
    func wait(for key: Key) async -> Bool { await cache.wait(for: key) }

    /// Ends the making of an answer, and keeps it if that is possible.
    ///
    /// - Parameter answer: `nil` for a response that is not to be kept.
    /// - Returns: Whether the answer is kept.
    @discardableResult
    func end(_ fill: Fill, _ answer: FinishedAnswer?, _ kind: AddressKind) -> Bool {
        cache.end(
            fill, answer.map { Value(answer: $0, kind: kind) },
            cost: (answer?.size ?? 0) + fill.key.size)
    }
}
