import HTTP
import HTTPTypes
import Postgres
import Storage
import Work

/// The finished answers of one loop that come from the database and are the same for everyone who is
/// not signed in.
///
/// An answer is kept with the keys of what it depends on, and dropped once one of them has changed.
/// It is used only after the feed has said what changed up to the request, so it is never older than
/// one that would be made at the same time.
///
/// The answers are bounded in bytes. Confined to its loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class AnswerCache: @unchecked Sendable {
    struct Key: Hashable, Sendable {
        let path: String
        let query: String?
        let isCoded: Bool

        fileprivate var size: Int { path.utf8.count + (query?.utf8.count ?? 0) }
    }

    private final class Kept {
        let answer: FinishedAnswer
        let kind: AddressKind
        let keys: [String]
        /// Answers of an earlier epoch can't be checked any more.
        let epoch: Int
        /// Whether something has changed that the answer depends on, or it had to make room.
        var isGone = false

        init(_ answer: FinishedAnswer, _ kind: AddressKind, keys: [String], epoch: Int) {
            self.answer = answer
            self.kind = kind
            self.keys = keys
            self.epoch = epoch
        }
    }

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

    private let feed: ChangeFeed
    /// How long answers are used while PostgreSQL can't be asked.
    private let staleness: Duration
    private var answers: S3FIFOCache<Key, Kept>
    /// The answers that depend on each key.
    private var dependents: [String: Set<Key>] = [:]
    private var fills: [Key: Fill] = [:]
    private var coding = CodingChoice()
    /// Counts how often the feed has lost track.
    private var epoch = 0
    /// The earliest epoch whose answers may be used while PostgreSQL can't be asked. There may have
    /// been changes between earlier ones and the last check.
    private var earliestEpoch = 0

    /// - Parameters:
    ///   - bytes: How much memory the answers may take, roughly.
    ///   - staleness: How long answers are used while PostgreSQL can't be asked.
    init(_ feed: ChangeFeed, bytes: Int, staleness: Duration) {
        self.feed = feed
        self.staleness = staleness
        answers = S3FIFOCache(costLimit: bytes)
        feed.observer = { [weak self] in self?.note($0) }
    }

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
        guard FinishedAnswer.maySuit(request), let kept = answers.use(key(of: request)),
            isUsable(kept), let response = kept.answer.response(to: request)
        else { return false }
        feed.check { [self] isAnswered in done(found(kept, response, isChecked: isAnswered)) }
        return true
    }

    /// The answer, if there is one and it is current.
    func current(_ request: Request) async -> Found? {
        await withUnsafeContinuation { continuation in
            let isFound = find(request) { continuation.resume(returning: $0) }
            if !isFound { continuation.resume(returning: nil) }
        }
    }

    private func isUsable(_ kept: Kept) -> Bool { kept.epoch == epoch || staleness > .zero }

    private func found(_ kept: Kept, _ response: Response, isChecked: Bool) -> Found? {
        guard !kept.isGone else { return nil }
        if isChecked {
            guard kept.epoch == epoch else { return nil }
            return Found(response: response, kind: kept.kind, age: nil)
        }
        guard kept.epoch >= earliestEpoch, let age = feed.sinceLastCheck, age <= staleness else {
            return nil
        }
        return Found(response: response, kind: kept.kind, age: age)
    }

    // MARK: Filling

    /// An answer that is being made, to be kept.
    final class Fill {
        fileprivate let key: Key
        let recorder = DependencyRecorder()
        /// What changed since the answer was begun. It may have been read before that.
        fileprivate var changed: Set<String> = []
        fileprivate var lostTrack = false
        fileprivate var waiting: [UnsafeContinuation<Bool, Never>] = []

        fileprivate init(_ key: Key) { self.key = key }
    }

    /// Begins to make an answer. It must be ended with `end(_:_:_:)`.
    ///
    /// - Returns: `nil` if the same answer is being made already.
    func begin(_ key: Key) -> Fill? {
        guard fills[key] == nil else { return nil }
        let fill = Fill(key)
        fills[key] = fill
        return fill
    }

    /// Waits until an answer that is being made is made.
    ///
    /// - Returns: `false` if it turned out to be one that can't be kept.
    func wait(for key: Key) async -> Bool {
        guard let fill = fills[key] else { return true }
        return await withUnsafeContinuation { fill.waiting.append($0) }
    }

    /// Ends the making of an answer, and keeps it if that is possible.
    ///
    /// - Parameter answer: `nil` for a response that is not to be kept.
    /// - Returns: Whether the answer is kept.
    @discardableResult
    func end(_ fill: Fill, _ answer: FinishedAnswer?, _ kind: AddressKind) -> Bool {
        fills[fill.key] = nil
        let keys = fill.recorder.keys ?? []
        let canBeKept = answer != nil && !keys.isEmpty
        defer { for continuation in fill.waiting { continuation.resume(returning: canBeKept) } }
        guard let answer, canBeKept, !fill.lostTrack, keys.isDisjoint(with: fill.changed) else {
            return false
        }
        drop(fill.key)
        let cost = answer.size + fill.key.size + keys.reduce(0) { $0 + $1.utf8.count + 64 }
        let kept = Kept(answer, kind, keys: Array(keys), epoch: epoch)
        let (isKept, dropped) = answers.insert(kept, for: fill.key, cost: cost)
        for (key, kept) in dropped { forget(key, kept) }
        guard isKept else { return false }
        for key in keys { dependents[key, default: []].insert(fill.key) }
        return true
    }

    // MARK: Dropping

    private func note(_ finding: ChangeFeed.Finding) {
        switch finding {
        case .changed(let keys):
            for key in keys {
                for dependent in dependents[key] ?? [] { drop(dependent) }
            }
            for fill in fills.values { fill.changed.formUnion(keys) }
        case .lostTrack:
            epoch += 1
            dependents = [:]
            for fill in fills.values { fill.lostTrack = true }
            // While PostgreSQL can't be asked, answers of before may still be wanted.
            if staleness == .zero || feed.isTracking {
                earliestEpoch = epoch
                answers.removeAll()
            }
        }
    }

    private func drop(_ key: Key) {
        if let kept = answers.remove(key) { forget(key, kept) }
    }

    /// Removes an answer that is gone from the dependents of its keys. Nobody is told of changes of
    /// these any more, so a request that has found it must not use it.
    private func forget(_ key: Key, _ kept: Kept) {
        kept.isGone = true
        for dependency in kept.keys {
            guard let index = dependents.index(forKey: dependency) else { continue }
            dependents.values[index].remove(key)
            if dependents.values[index].isEmpty { dependents.remove(at: index) }
        }
    }
}
