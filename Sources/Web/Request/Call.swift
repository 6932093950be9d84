import HTTP
import HTTPTypes
import Logging
import Sockets

/// One request on its way through a handler. What the handler takes of it are the inputs of its
/// route.
struct Call: Sendable {
    let request: Request
    let services: Services
    let id: RequestID
    /// Where it came from.
    let client: ClientAddress
    /// Who is signed in with the browser; always `nil` for the API, which takes tokens only.
    let visitor: Visitor?
    /// What is counted of requests to the API.
    let allowance: Allowance?
    let parameters: PathParameters
    let query: FormItems

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

    /// Checks that the query repeats no parameter, of which only one value would be heard.
    ///
    /// - Throws: 400 if it does.
    func checkNamesOnce() throws(Problem) {
        for name in query.names where query.values(name).count > 1 {
            throw .badRequest("\"\(name.prefix(40))\" is in the query more than once.")
        }
    }

    /// Names the request in what it says.
    var logger: Logger { id.naming(services.logger) }
}
