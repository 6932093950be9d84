import Endpoints
import HTTP
import HTTPTypes

/// Gives a response for everyone a tag, unless its handler has given it one, evaluates the request's
/// conditions, and compresses it.
struct TagStep: Sendable {
    let gzip: Gzip

    /// - Throws: 412 if a condition of the request is not met.
    func tagged(_ response: Response, _ context: IncomingRequest) throws -> Response {
        guard context.request.method.isRead, response.status == .ok,
            !response.headerFields.contains(.eTag),
            response.headerFields.value(of: .cacheControl) != "no-store"
        else { return response }
        // Pages for one person have masked form tokens, so no two are the same and no tag would match.
        guard context.visitor == nil else {
            return response.compressed(for: context.negotiatedRequest, gzip: gzip)
        }
        return try response.conditional(for: context.negotiatedRequest, gzip: gzip)
    }
}
