import HTTP

/// Answers requests. One stands on each loop and is called there only.
public protocol Responder: Sendable {
    /// Answers a request, whatever happens: there is no error to throw. Runs on the loop.
    func respond(to request: Request, from client: ClientAddress) async -> Response

    /// Answers what could not be read as a request: a parser's error, or a time that ran out.
    func response(to error: ConnectionError) -> Response
}

/// Why a connection gets an answer without a whole request, and closes.
public enum ConnectionError: Error, Sendable, CustomStringConvertible {
    case badRequest(RequestError)
    /// The header or the body did not come in time: 408.
    case requestTimeout
    /// As many connections stand as the bound allows: 503.
    case tooManyConnections

    public var description: String {
        switch self {
        case .badRequest(let error): error.description
        case .requestTimeout: "The request did not arrive in time."
        case .tooManyConnections: "The server has as many connections as it can take."
        }
    }
}
