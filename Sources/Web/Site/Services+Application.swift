package import Endpoints
package import HTTP
import Identity
import Imports
package import Sockets

typealias Route = Endpoints.Route<Services>

/// Routes of this service for the same people.
typealias RouteGroup<Person: Sendable> = Endpoints.RouteGroup<Services, Person>

/// One request on its way through a handler of this service.
typealias RequestContext = Endpoints.RequestContext<Services>

extension Services: Application {
    package typealias Visitor = Web.Visitor

    package var addresses: SiteAddresses { settings.addresses }

    package var cursorSeal: CursorSeal {
        get async { CursorSeal(await ownKeys.current()) }
    }

    package static var pages: [String: Endpoints.Route<Services>] { Routes.pages }

    package func checkFormToken(
        _ token: String?, of context: Endpoints.RequestContext<Services>
    ) throws(Problem) {
        try context.checkFormToken(token)
    }

    package func parseForm(
        _ body: [UInt8], type: MediaType, from client: ClientAddress
    ) async throws -> MultipartForm {
        try await importer.reading(for: client.siteName) {
            try MultipartForm(parsing: body, type: type)
        }
    }

    package func note(_ error: any Error, of context: Endpoints.RequestContext<Services>) {
        context.noteFailedProof(error)
    }

    package func refusal(_ error: any Error, of form: FormItems) -> Problem? {
        guard var problem = Problem(refusal: error) else { return nil }
        problem.detail = problem.words
        problem.locate(error, in: form)
        return problem
    }

    package func failure(_ error: any Error, of context: Endpoints.RequestContext<Services>)
        -> Problem?
    {
        guard SignInRequired(error, context.visitor) == nil, !(error is Moved) else { return nil }
        var problem = Problem(error, logger: context.logger)
        problem.detail = problem.words
        return problem
    }
}

extension CursorSeal {
    /// - Parameter keys: All known keys of the server's own tokens.
    init(_ keys: [SigningKey]) {
        self.init(
            keys.map(\.cursorKey).map { Key(encryption: $0.encryption, nonces: $0.nonces) })
    }
}
