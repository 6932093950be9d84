import HTTP
import HTTPTypes
import Synchronization

/// The finished answers of addresses that say the same for as long as the server runs: looked up by
/// a request's target before anything else is made of the request.
///
/// Bounded by what they are kept for: a path without escapes, alone or with an asset's version and
/// nothing else as its query, has two answers, with gzip and without.
final class KeptAnswers: Sendable {
    private struct Key: Hashable {
        let path: String
        let query: String?
        let isCoded: Bool
    }

    private struct Answer {
        let response: Response
        let notModified: Response
        let tag: String?
        /// Whether people who are signed in get another one.
        let isForStrangers: Bool
    }

    private struct State {
        var answers: [Key: Answer] = [:]
        /// What was found last of an Accept-Encoding: most clients send one of a few.
        var coding: (field: String?, prefersGzip: Bool) = (nil, false)
    }

    /// A loop has its own, so that none waits.
    private let state = Mutex(State())

    /// The answer to a request, without its number; `nil` if it has to be made.
    func answer(to request: Request) -> Response? {
        guard request.method.isRead else { return nil }
        guard let answer = state.withLock({ $0.answers[Self.key(request, &$0)] }),
            !(answer.isForStrangers && Cookie.session.mayBe(in: request)),
            !request.contains(.authorization), !request.contains(.ifMatch),
            !request.contains(.ifUnmodifiedSince)
        else { return nil }
        guard request.contains(.ifNoneMatch) else {
            return request.contains(.ifModifiedSince) ? nil : answer.response
        }
        // A list of tags, or one that is written in another way, is left to those who read it.
        guard let tag = answer.tag, request.value(of: .ifNoneMatch) == tag else { return nil }
        return answer.notModified
    }

    /// Keeps an answer that is complete but for its number.
    ///
    /// - Parameter isForStrangers: Whether people who are signed in get another one.
    func keep(_ response: Response, to request: Request, isForStrangers: Bool) {
        guard request.method == .get, response.status == .ok,
            Self.isOnlySpelling(request, response),
            !(isForStrangers && Cookie.session.mayBe(in: request)),
            !request.contains(.authorization)
        else { return }
        var notModified = response
        notModified.becomeNotModified()
        let answer = Answer(
            response: response.written, notModified: notModified.written,
            tag: response.headerFields[.eTag], isForStrangers: isForStrangers)
        state.withLock { state in
            guard state.answers.count < Self.limit else { return }
            state.answers[Self.key(request, &state)] = answer
        }
    }

    /// More than there are such addresses: should one of them have many spellings after all, they do
    /// not fill the memory.
    private static let limit = 500

    /// Whether a client could write the target in no other way.
    private static func isOnlySpelling(_ request: Request, _ response: Response) -> Bool {
        guard !request.target.path.contains("%") else { return false }
        guard let query = request.target.query else { return true }
        return response.headerFields[.cacheControl]?.hasSuffix("immutable") == true
            && query.wholeMatch(of: /v=[0-9a-f]+/) != nil
    }

    private static func key(_ request: Request, _ state: inout State) -> Key {
        let field = request.value(of: .acceptEncoding)
        if field != state.coding.field {
            state.coding = (field, AcceptEncoding(field).prefersGzip)
        }
        return Key(
            path: request.target.path, query: request.target.query,
            isCoded: state.coding.prefersGzip)
    }
}

extension Response {
    /// The same with all its fields written out.
    fileprivate var written: Response {
        var response = self
        response.headerFields = [:]
        let fields = WrittenFields(headerFields)
        response.writtenFields = writtenFields.map(fields.followed) ?? fields
        return response
    }
}
