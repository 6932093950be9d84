import Endpoints
import HTTP
import HTTPTypes

/// What two requests have in common that get the same finished answer.
struct AnswerKey: Hashable, Sendable {
    let path: String
    let query: String?
    let isCoded: Bool

    /// In bytes.
    var size: Int { path.utf8.count + (query?.utf8.count ?? 0) }
}

/// The finished responses of addresses that answer the same for as long as the server runs.
///
/// Their number is bounded: only a path without escapes is kept, alone or with an asset's version
/// as its whole query. Each such target has two responses, with gzip and without.
struct ConstantAnswers {
    private var answers: [AnswerKey: FinishedAnswer] = [:]

    /// More than there are such addresses. Should one of them have many spellings after all, they
    /// can't fill the memory.
    private static let limit = 500

    subscript(key: AnswerKey) -> FinishedAnswer? { answers[key] }

    /// Keeps a response that is complete except for the request's id.
    ///
    /// - Parameter isForStrangers: Whether people who are signed in get another response.
    mutating func keep(
        _ response: Response, to request: Request, _ key: AnswerKey, isForStrangers: Bool
    ) {
        guard request.method == .get, response.status == .ok,
            Self.isOnlySpelling(request, response),
            !(isForStrangers && Cookie.session.mayBe(in: request)),
            !request.contains(.authorization), answers.count < Self.limit
        else { return }
        answers[key] = FinishedAnswer(response, isForStrangers: isForStrangers)
    }

    /// Whether the target can't be written in any other way.
    private static func isOnlySpelling(_ request: Request, _ response: Response) -> Bool {
        guard !request.target.path.contains("%") else { return false }
        guard let query = request.target.query else { return true }
        return response.headerFields[.cacheControl]?.hasSuffix("immutable") == true
            && query.wholeMatch(of: /v=[0-9a-f]+/) != nil
    }
}
