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

    private struct Answer {
        let response: Response
        let notModified: Response
        let tag: String?
        /// Whether people who are signed in get another response.
        let isForStrangers: Bool
    }

    private struct State {
        var answers: [Key: Answer] = [:]
        /// The result for the last Accept-Encoding: most clients send one of a few values.
        var coding: (field: String?, prefersGzip: Bool) = (nil, false)
    }

    /// Each loop has its own instance, so that none waits for the lock.
    private let state = Mutex(State())

    /// The response to a request, without the request's id; `nil` if the response has to be made.
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
        // A list of tags, or a tag that is written in another way, is left to the code that parses
        // them.
        guard let tag = answer.tag, request.value(of: .ifNoneMatch) == tag else { return nil }
        return answer.notModified
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
    /// The same response with all its header fields serialised.
    fileprivate var written: Response {
        var response = self
        response.headerFields = [:]
        let fields = WrittenFields(headerFields)
        response.writtenFields = writtenFields.map(fields.followed) ?? fields
        return response
    }
}
