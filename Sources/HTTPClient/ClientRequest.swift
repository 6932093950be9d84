public import HTTPTypes
public import Sockets

/// A request to another server.
public struct ClientRequest: Sendable {
    public var method: HTTPRequest.Method
    /// An absolute `http` or `https` URL.
    public var url: String
    /// The path of a unix-domain socket to connect to, instead of the URL's host.
    public var unixSocket: String?
    public var headerFields: HTTPFields
    public var body: [UInt8]
    /// The time limit for the whole transfer, from looking up the name to the last byte.
    public var timeout: Duration
    /// The most bytes of the response's body, after decompression.
    public var maximumResponseBytes: Int
    /// Whether a longer body is cut off, which otherwise is an error.
    public var cutsResponse = false
    /// Which addresses of the URL's host may be connected to; `nil` for all. With it, no proxy is used.
    public var mayConnect: (@Sendable (IPAddress) -> Bool)?

    public init(
        _ method: HTTPRequest.Method = .get, _ url: String, headerFields: HTTPFields = [:],
        body: [UInt8] = [], timeout: Duration = .seconds(10),
        maximumResponseBytes: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.timeout = timeout
        self.maximumResponseBytes = maximumResponseBytes
    }
}

/// The response to a `ClientRequest`, with any status. Redirects are not followed.
public struct ClientResponse: Sendable {
    public let status: HTTPResponse.Status
    public let headerFields: HTTPFields
    public let body: [UInt8]

    public init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

/// Why there is no response.
public struct HTTPClientError: Error, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public enum Code: Sendable, Hashable {
        /// The URL is not an absolute http or https URL, or a header field cannot be sent.
        case badRequest
        /// The name is unknown, nothing listens at the address, or TLS failed.
        case unreachable
        /// The server's certificate is not trusted, or is for another name.
        case untrusted
        /// The host has no address that `mayConnect` allows.
        case forbiddenAddress
        case timeout
        /// The response was cut off or is not HTTP.
        case badResponse
        case responseTooLarge
        case cancelled
        /// The client was closed.
        case closed
    }

    public let code: Code
    private let detail: String

    init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    public var description: String {
        switch code {
        case .badRequest: "The request cannot be sent."
        // Whoever chose the address learns nothing of the networks that only this machine reaches.
        case .unreachable, .forbiddenAddress: "The server cannot be reached."
        case .untrusted: "The server's certificate is not trusted."
        case .timeout: "The server did not respond in time."
        case .badResponse: "The server's response cannot be read."
        case .responseTooLarge: "The server's response is too large."
        case .cancelled: "The request was cancelled."
        case .closed: "The client is closed."
        }
    }

    public var debugDescription: String { "\(code): \(detail)" }
}
