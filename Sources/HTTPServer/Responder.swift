public import HTTP
public import Sockets

/// Responds to requests. Each loop has its own responder, which is called only there.
public protocol Responder: Sendable {
    /// Responds to a request from memory, without the cost of a task.
    ///
    /// - Parameter recipient: Gets the response if it is to come later.
    func respondFromMemory(
        to request: Request, from client: ClientAddress, for recipient: any ResponseRecipient
    ) -> Recollection

    /// The client that sent a request, if its sender is a proxy that says so.
    func client(of request: Request, from sender: ClientAddress) -> ClientAddress

    /// Decides from a request's head whether to read its large body. Runs on the loop, in a task as
    /// `respond` does.
    ///
    /// - Returns: `nil` to read the body; otherwise the response that refuses it.
    func refusal(of head: Request, from client: ClientAddress) async -> Response?

    /// Responds to a request in every case, because this cannot throw an error. Runs on the loop,
    /// in a task that is cancelled when the client closes its side or the connection is closed.
    func respond(to request: Request, from client: ClientAddress) async -> Response

    /// Makes the response to an error of the connection, such as a parser's error or a timeout.
    func response(to error: ConnectionError) -> Response

    /// The same, when it is known what was requested.
    func response(to error: ConnectionError, at target: RequestTarget?) -> Response

    /// Called when a response is about to be handed over for sending, on the loop.
    ///
    /// - Parameter duration: The time since the turn that completed the request.
    func responded(
        _ request: Request, from client: ClientAddress, with response: Response,
        after duration: Duration)
}

/// A responder's outcome of looking for a response in memory.
public enum Recollection: Sendable {
    case response(Response)
    /// There may be a response, but it is not yet certain that it is current. The recipient is
    /// called later.
    case pending
    case nothing
}

/// Waits for a response from memory.
public protocol ResponseRecipient: AnyObject {
    /// Called once, on the loop.
    ///
    /// - Parameter response: `nil` if there is no current response in memory.
    func receive(_ response: Response?, to request: Request)
}

/// Why the server sends an error on a connection and closes it, instead of having the responder
/// respond to a whole request.
public enum ConnectionError: Error, Sendable, CustomStringConvertible {
    case badRequest(RequestError)
    /// The client began in clear text instead of with a TLS handshake: 400.
    case inClearText
    /// The header or the body did not arrive in time: 408.
    case requestTimeout
    /// The limit on connections is reached, and none of them is idle: 503.
    case tooManyConnections
    /// The request has waited too long for its turn: 503.
    case overloaded
    /// The client's address has as many connections, or requests whose body is awaited, as one address
    /// may have: 429.
    case tooManyConnectionsOfOne

    public var description: String {
        switch self {
        case .badRequest(let error): error.description
        case .inClearText: "This port speaks HTTPS: use an address that begins with https://"
        case .requestTimeout: "The request did not arrive in time."
        case .tooManyConnections: "The server has as many connections as it can handle."
        case .overloaded: "The server has more requests than it can serve in time."
        case .tooManyConnectionsOfOne:
            "Your address has too many connections or unfinished requests."
        }
    }

    /// The error without its details, for counting.
    public enum Reason: String, CaseIterable, Sendable {
        case badRequest = "bad_request"
        case inClearText = "in_clear_text"
        case requestTimeout = "request_timeout"
        case tooManyConnections = "too_many_connections"
        case overloaded
        case tooManyConnectionsOfOne = "too_many_connections_of_one"
    }

    var reason: Reason {
        switch self {
        case .badRequest: .badRequest
        case .inClearText: .inClearText
        case .requestTimeout: .requestTimeout
        case .tooManyConnections: .tooManyConnections
        case .overloaded: .overloaded
        case .tooManyConnectionsOfOne: .tooManyConnectionsOfOne
        }
    }
}

extension Responder {
    public func response(to error: ConnectionError, at target: RequestTarget?) -> Response {
        response(to: error)
    }

    public func client(of request: Request, from sender: ClientAddress) -> ClientAddress { sender }

    public func refusal(of head: Request, from client: ClientAddress) async -> Response? { nil }

    public func responded(
        _ request: Request, from client: ClientAddress, with response: Response,
        after duration: Duration
    ) {}

    public func respondFromMemory(
        to request: Request, from client: ClientAddress, for recipient: any ResponseRecipient
    ) -> Recollection { .nothing }
}
