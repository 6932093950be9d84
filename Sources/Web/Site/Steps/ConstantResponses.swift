import Encodings
import Endpoints
import HTTP
import HTTPTypes

/// The responses of addresses that give the same one for as long as the server runs.
///
/// Their number is bounded: only a path without escapes is cached, alone or with an asset's version
/// as its whole query. Each such target has two responses, with gzip and without.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class ConstantResponses: @unchecked Sendable {
    private let keys: ResponseKeys
    /// Of one era.
    private var responses: [ResponseKey: CachedResponse] = [:]
    private var era: ResponseKey.Era?

    /// More than there are such addresses. Should one of them have many spellings after all, they
    /// can't fill the memory.
    private static let limit = 500

    init(_ keys: ResponseKeys) { self.keys = keys }

    func lookUp(_ key: ResponseKey) -> CachedResponse? { responses[key] }

    /// Caches a response that is complete except for the request's id, if its route is constant.
    ///
    /// - Parameter era: That of the moment when the response was begun.
    func store(_ response: Response, _ context: IncomingRequest, of era: ResponseKey.Era) {
        let request = context.request
        let isForStrangers = context.kind == .page
        guard context.route?.isConstant == true, request.method == .get, response.status == .ok,
            Self.isOnlySpelling(request, response),
            !(isForStrangers && Cookie.session.mayBe(in: request)),
            !request.contains(.authorization)
        else { return }
        // The era may end at any moment, so it is read once.
        let key = keys.key(of: request, in: context.language)
        guard key.era == era else { return }
        if self.era != era {
            self.era = era
            responses = [:]
        }
        guard responses.count < Self.limit else { return }
        responses[key] = CachedResponse(
            response, isForStrangers: isForStrangers)
    }

    /// Whether the target can't be written in any other way.
    private static func isOnlySpelling(_ request: Request, _ response: Response) -> Bool {
        guard !request.target.path.contains("%") else { return false }
        guard let query = request.target.query else { return true }
        return response.cacheability == .forEver && query.hasPrefix("v=")
            && query.dropFirst(2).utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }
}
