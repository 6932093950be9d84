/// The current state of one loop's connections, and counts since the server began.
public struct ServerStatistics: Sendable {
    /// Connections that are open.
    public var connections = 0
    /// Requests that are in progress, without those served from memory.
    public var activeRequests = 0
    /// Requests that wait because the loop has reached its limit.
    public var waitingRequests = 0
    /// Bytes of responses that clients have not read.
    public var unsentBytes = 0

    /// Connections that were accepted.
    public var acceptedConnections = 0
    /// Bytes of requests, without TLS.
    public var receivedBytes = 0
    /// Bytes of responses, without TLS.
    public var sentBytes = 0
    /// Connections that got an error instead of a response to a request.
    public var refusals: [ConnectionError.Reason: Int] = [:]
}
