import HTTP
import HTTPTypes
import Postgres
import Storage

/// The finished answers of one loop: those that never change, and those from the database that are
/// the same for everyone who is not signed in. They are looked up before anything else is done with
/// a request. Confined to its loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class AnswerCache: @unchecked Sendable {
    struct Value {
        let answer: FinishedAnswer
        let kind: AddressKind
    }

    typealias Fill = CheckedCache<AnswerKey, Value>.Fill

    /// What is kept for a request.
    enum Found {
        /// The response, complete but for the request's id.
        case constant(Response)
        /// The response, if a check says that it is current.
        case unchecked(Candidate)
    }

    /// A kept answer from the database that suits a request.
    struct Candidate {
        fileprivate let response: Response
        fileprivate let kept: CheckedCache<AnswerKey, Value>.Kept

        var kind: AddressKind { kept.value.kind }
    }

    private var constants = ConstantAnswers()
    /// `nil` if answers from the database are not kept.
    private let checked: CheckedCache<AnswerKey, Value>?
    private var coding = CodingChoice()

    /// - Parameters:
    ///   - feed: The loop's feed; `nil` if no answers from the database are to be kept.
    ///   - bytes: How much memory these answers may take, roughly.
    ///   - staleness: How long answers are used while PostgreSQL can't be asked.
    init(_ feed: ChangeFeed? = nil, bytes: Int = 0, staleness: Duration = .zero) {
        checked = feed.map { CheckedCache($0, bytes: bytes, staleness: staleness) }
    }

    /// Of the answers from the database; `nil` if they are not kept.
    var statistics: CacheStatistics? { checked?.statistics }

    /// Tells what has changed in the database; `nil` if answers from there are not kept.
    var feed: ChangeFeed? { checked?.feed }

    func key(of request: Request) -> AnswerKey {
        AnswerKey(
            path: request.target.path, query: request.target.query,
            isCoded: coding.prefersGzip(request))
    }

    // MARK: Finding

    func find(_ request: Request) -> Found? {
        guard FinishedAnswer.maySuit(request) else { return nil }
        let key = key(of: request)
        if let answer = constants[key] { return answer.response(to: request).map { .constant($0) } }
        guard let kept = checked?.find(key),
            let response = kept.value.answer.response(to: request)
        else { return nil }
        return .unchecked(Candidate(response: response, kept: kept))
    }

    /// The response to be sent, with where it comes from, or `nil` if it is not current.
    ///
    /// - Parameter isChecked: What the feed said to a check that began after the candidate was found.
    func response(_ candidate: Candidate, isChecked: Bool) -> Response? {
        var response = candidate.response
        switch checked?.verdict(on: candidate.kept, isChecked: isChecked) {
        case .current:
            response.cacheStatus = CacheStatus.checkedHit
        case .possiblyStale(let age):
            response.cacheStatus = CacheStatus.uncheckedHit(age: age)
            response.headerFields[.age] = String(age.components.seconds)
        case .outdated, nil: return nil
        }
        return response
    }

    /// The answer from the database, if there is one and it is current.
    func current(_ request: Request) async -> Response? {
        guard let feed, case .unchecked(let candidate) = find(request) else { return nil }
        return response(candidate, isChecked: await feed.check())
    }

    // MARK: Filling

    /// Keeps a response that never changes and is complete except for the request's id.
    ///
    /// - Parameter isForStrangers: Whether people who are signed in get another response.
    func keepConstant(_ response: Response, to request: Request, isForStrangers: Bool) {
        constants.keep(response, to: request, key(of: request), isForStrangers: isForStrangers)
    }

    /// Begins to make an answer from the database. It must be ended with `end(_:_:_:)`.
    ///
    /// - Returns: `nil` if the same answer is being made already.
    func begin(_ key: AnswerKey) -> Fill? { checked?.begin(key) }

    /// Waits until an answer that is being made is made.
    ///
    /// - Returns: `false` if it turned out to be one that can't be kept.
    func wait(for key: AnswerKey) async -> Bool { await checked?.wait(for: key) ?? false }

    /// Ends the making of an answer, and keeps it if that is possible.
    ///
    /// - Parameter answer: `nil` for a response that is not to be kept.
    /// - Returns: Whether the answer is kept.
    @discardableResult
    func end(_ fill: Fill, _ answer: FinishedAnswer?, _ kind: AddressKind) -> Bool {
        checked?.end(
            fill, answer.map { Value(answer: $0, kind: kind) },
            cost: (answer?.size ?? 0) + fill.key.size) ?? false
    }
}
