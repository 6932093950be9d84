/// What the connections of one loop are doing, and what they have done since the server began.
public struct ServerStatistics: Sendable {
    /// Connections that are open.
    public var connections = 0
    /// Requests that are being answered, without those answered from memory.
    public var activeRequests = 0
    /// Requests that wait because the loop answers as many as it may already.
    public var waitingRequests = 0
    /// Bytes of responses that clients have not read.
    public var unsentBytes = 0

    /// Connections that were accepted.
    public var acceptedConnections = 0
    /// Bytes of requests, without TLS.
    public var receivedBytes = 0
    /// Bytes of responses, without TLS.
    public var sentBytes = 0
    /// Connections that were answered with an error instead of having a request answered.
    public var refusals: [ConnectionError.Reason: Int] = [:]
}
