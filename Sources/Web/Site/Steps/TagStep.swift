import Endpoints
import HTTP
import HTTPTypes

/// Gives a response a tag, unless its handler has given it one, evaluates the request's conditions, and
/// compresses it.
struct TagStep: Sendable {
    let gzip: Gzip

    /// - Throws: 412 if a condition of the request is not met.
    func tagged(_ response: Response, _ context: IncomingRequest) throws -> Response {
        guard context.request.method.isRead, response.status == .ok,
            !response.headerFields.contains(.eTag),
            response.headerFields[.cacheControl] != "no-store"
        else { return response }
        return try response.conditional(for: context.negotiatedRequest, gzip: gzip)
    }
}
