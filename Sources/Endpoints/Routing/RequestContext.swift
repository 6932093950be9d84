import HTTP
import HTTPTypes
import Logging
import Sockets

/// One request on its way through a handler. Its route's inputs declare what the handler reads from
/// it.
package struct RequestContext<Services: Application>: Sendable {
    package let request: Request
    package let services: Services
    package let id: RequestID
    /// Where the request came from.
    package let client: ClientAddress
    /// The visitor who is signed in with the browser; always `nil` for the API, which accepts
    /// tokens only.
    package let visitor: Services.Visitor?
    /// Counts what the request costs; `nil` if that is nothing.
    package let allowance: Allowance?
    package let parameters: PathParameters
    package var query: FormItems
    /// The form that came with the request, if it is one to a page.
    package var sent: SentForm?

    /// - Throws: 400 for a query that cannot be read.
    package init(
        _ request: Request, id: RequestID, parameters: PathParameters, services: Services,
        client: ClientAddress, visitor: Services.Visitor?, allowance: Allowance?
    ) throws(RequestError) {
        self.request = request
        self.id = id
        self.parameters = parameters
        self.services = services
        self.client = client
        self.visitor = visitor
        self.allowance = allowance
        query = try request.target.queryItems()
    }

    /// Checks that the query repeats no parameter: only one of its values would be used.
    ///
    /// - Throws: 400 if it does.
    package func checkNamesOnce() throws(Problem) {
        for name in query.names where query.values(name).count > 1 {
            throw .badRequest("\"\(name.prefix(40))\" is in the query more than once.")
        }
    }

    /// A logger whose messages name the request.
    package var logger: Logger { id.naming(services.logger) }
}
