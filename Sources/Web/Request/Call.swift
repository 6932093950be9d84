import Endpoints
import HTTP
import HTTPTypes
import Logging
import Sockets

/// One request on its way through a handler. Its route's inputs declare what the handler reads from
/// it.
struct Call: Sendable {
    let request: Request
    let services: Services
    let id: RequestID
    /// Where the request came from.
    let client: ClientAddress
    /// The visitor who is signed in with the browser; always `nil` for the API, which accepts
    /// tokens only.
    let visitor: Visitor?
    /// Counts what the request costs; `nil` if that is nothing.
    let allowance: Allowance?
    let parameters: PathParameters
    var query: FormItems
    /// The form that came with the request, if it is one to a page.
    var sent: SentForm?

    /// - Throws: 400 for a query that cannot be read.
    init(
        _ request: Request, id: RequestID, parameters: PathParameters, services: Services,
        client: ClientAddress, visitor: Visitor?, allowance: Allowance?
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
    func checkNamesOnce() throws(Problem) {
        for name in query.names where query.values(name).count > 1 {
            throw .badRequest("\"\(name.prefix(40))\" is in the query more than once.")
        }
    }

    /// A logger whose messages name the request.
    var logger: Logger { id.naming(services.logger) }
}
