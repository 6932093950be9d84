import HTTP
import Sockets

/// Answers requests. Each loop has one, which is called there only.
public protocol Responder: Sendable {
    /// Answers a request that needs nothing to be waited for, without the cost of a task.
    ///
    /// - Returns: `nil` for every other request.
    func respondAtOnce(to request: Request, from client: ClientAddress) -> Response?

    /// Answers a request, whatever happens: there is no error to throw. Runs on the loop, in a task
    /// that is cancelled when the client ends its side.
    func respond(to request: Request, from client: ClientAddress) async -> Response

    /// Answers what could not be read as a request: a parser's error, or a time that ran out.
    func response(to error: ConnectionError) -> Response
}

/// Why a connection gets an answer without a whole request, and closes.
public enum ConnectionError: Error, Sendable, CustomStringConvertible {
    case badRequest(RequestError)
    /// The header or the body did not come in time: 408.
    case requestTimeout
    /// There are as many connections as the bound allows, and none of them idles: 503.
    case tooManyConnections
    /// The request has waited too long for its turn: 503.
    case overloaded
    /// The client's address has as many as one may have: 429.
    case tooManyConnectionsOfOne

    public var description: String {
        switch self {
        case .badRequest(let error): error.description
        case .requestTimeout: "The request did not arrive in time."
        case .tooManyConnections: "The server has as many connections as it can handle."
        case .overloaded: "The server has more requests than it can answer in time."
        case .tooManyConnectionsOfOne:
            "Your address has too many connections."
        }
    }
}

extension Responder {
    public func respondAtOnce(to request: Request, from client: ClientAddress) -> Response? { nil }
}
