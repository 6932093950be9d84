import HTTP
import HTTPTypes
import Synchronization

/// The finished responses of addresses that answer the same for as long as the server runs. They
/// are looked up by a request's target before anything else is done with the request.
///
/// Their number is bounded: only a path without escapes is kept, alone or with an asset's version
/// as its whole query. Each such target has two responses, with gzip and without.
final class KeptAnswers: Sendable {
    private struct Key: Hashable {
        let path: String
        let query: String?
        let isCoded: Bool
    }

    private struct State {
        var answers: [Key: FinishedAnswer] = [:]
        var coding = CodingChoice()
    }

    /// Each loop has its own instance, so that none waits for the lock.
    private let state = Mutex(State())

    /// The response to a request, without the request's id; `nil` if the response has to be made.
    func answer(to request: Request) -> Response? {
        guard FinishedAnswer.maySuit(request) else { return nil }
        return state.withLock { $0.answers[Self.key(request, &$0)] }?.response(to: request)
    }

    /// Keeps a response that is complete except for the request's id.
    ///
    /// - Parameter isForStrangers: Whether people who are signed in get another response.
    func keep(_ response: Response, to request: Request, isForStrangers: Bool) {
        guard request.method == .get, response.status == .ok,
            Self.isOnlySpelling(request, response),
            !(isForStrangers && Cookie.session.mayBe(in: request)),
            !request.contains(.authorization)
        else { return }
        let answer = FinishedAnswer(response, isForStrangers: isForStrangers)
        state.withLock { state in
            guard state.answers.count < Self.limit else { return }
            state.answers[Self.key(request, &state)] = answer
        }
    }

    /// More than there are such addresses. Should one of them have many spellings after all, they
    /// can't fill the memory.
    private static let limit = 500

    /// Whether the target can't be written in any other way.
    private static func isOnlySpelling(_ request: Request, _ response: Response) -> Bool {
        guard !request.target.path.contains("%") else { return false }
        guard let query = request.target.query else { return true }
        return response.headerFields[.cacheControl]?.hasSuffix("immutable") == true
            && query.wholeMatch(of: /v=[0-9a-f]+/) != nil
    }

    private static func key(_ request: Request, _ state: inout State) -> Key {
        Key(
            path: request.target.path, query: request.target.query,
            isCoded: state.coding.prefersGzip(request))
    }
}
