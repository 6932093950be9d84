package import HTTP
import HTTPTypes
package import Languages
package import Logging
package import Sockets

/// One request on its way through a handler. Its route's inputs declare what the handler reads from
/// it.
package struct RequestContext<Services: Application>: Sendable {
    package let request: Request
    package var services: Services
    package let id: RequestID
    /// Where the request came from.
    package let client: ClientAddress
    /// The visitor who is signed in with the browser; always `nil` for the API, which accepts
    /// tokens only.
    package let visitor: Services.Visitor?
    /// The language of pages; for the API it is the site's.
    package let language: Language
    /// Counts what the request costs; `nil` if that is nothing.
    package let allowance: Allowance?
    package let parameters: PathParameters
    package var query: FormItems
    /// The form that came with the request, if it is one to a page.
    package var sent: SentForm?

    /// - Throws: 400 for a query that cannot be read.
    package init(
        _ request: Request, id: RequestID, parameters: PathParameters, services: Services,
        client: ClientAddress, visitor: Services.Visitor?, language: Language,
        allowance: Allowance?
    ) throws(RequestError) {
        self.request = request
        self.id = id
        self.parameters = parameters
        self.services = services
        self.client = client
        self.visitor = visitor
        self.language = language
        self.allowance = allowance
        query = try request.target.queryItems()
    }

    /// Checks that the query has only parameters that the route has, and each of them once: anything
    /// else would be ignored.
    ///
    /// - Throws: 400 if not.
    func checkQuery(_ known: Set<String>) throws(Problem) {
        for name in query.names {
            guard known.contains(name) else {
                let list = known.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
                throw .invalidParameter(
                    String(name.prefix(40)),
                    "is not a parameter of this address. "
                        + (known.isEmpty
                            ? "The address takes no parameters" : "The address takes \(list)"))
            }
            guard query.values(name).count == 1 else {
                throw .invalidParameter(name, "is in the query more than once")
            }
        }
    }

    /// Checks that the body is not compressed.
    ///
    /// - Throws: 415 if it is, with what is accepted: RFC 9110 section 12.5.3.
    func checkContentCoding() throws(Problem) {
        guard let coding = request.value(of: .contentEncoding), coding.lowercased() != "identity"
        else { return }
        var problem = Problem(
            .unsupportedMediaType,
            .english("The body must not be compressed: send it without Content-Encoding."))
        problem.headerFields[.acceptEncoding] = "identity"
        throw problem
    }

    /// Where the site is.
    package var addresses: SiteAddresses { services.addresses }

    /// A logger whose messages name the request.
    package var logger: Logger { id.naming(services.logger) }
}
