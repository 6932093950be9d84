import HTTPTypes

/// A whole request message.
public struct Request: Sendable {
    public var method: HTTPRequest.Method
    public var target: RequestTarget
    /// The host, with a port if one was given, that the client means to talk to: an absolute-form
    /// target's authority, which wins (RFC 9112 §3.2.2), or else the Host field. Empty only in an
    /// HTTP/1.0 request without Host. Its characters are checked; its case is as received.
    public var authority: String
    /// All but Host, which is `authority`. Of a request that was received they are made when they
    /// are first asked for; `contains(_:)` and `value(of:)` get along without them.
    public var headerFields: HTTPFields {
        get { own ?? received?.all ?? [:] }
        set {
            own = newValue
            received = nil
        }
    }

    /// Those that were set here; `nil` if they are as they were received.
    private var own: HTTPFields?
    private var received: ReceivedFields?
    /// Without chunk framing; trailer fields are checked and dropped (RFC 9110 §6.5.1).
    public var body: [UInt8]
    /// 0 for HTTP/1.0, otherwise 1: a higher minor version is spoken to as 1.1 (RFC 9110 §2.5).
    public var minorVersion: Int
    /// Whether the client wants to use the connection after the response (RFC 9112 §9.3).
    public var isPersistent: Bool

    public init(
        method: HTTPRequest.Method,
        target: RequestTarget,
        authority: String = "localhost",
        headerFields: HTTPFields = [:],
        body: [UInt8] = [],
        minorVersion: Int = 1,
        isPersistent: Bool = true
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        own = headerFields
        self.body = body
        self.minorVersion = minorVersion
        self.isPersistent = isPersistent
    }

    /// A request that was received, so far without a body.
    init(
        method: HTTPRequest.Method, target: RequestTarget, authority: String,
        received: ReceivedFields, minorVersion: Int, isPersistent: Bool
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        self.received = received
        body = []
        self.minorVersion = minorVersion
        self.isPersistent = isPersistent
    }

    /// Whether there is a header field of this name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        received?.contains(name) ?? headerFields.contains(name)
    }

    /// What `headerFields[name]` is.
    public func value(of name: HTTPField.Name) -> String? {
        if let received { received.value(of: name) } else { headerFields[name] }
    }

    /// Makes a request as a test would write it, by the target of its request line.
    public init(
        method: HTTPRequest.Method = .get,
        target: String,
        headerFields: HTTPFields = [:],
        body: [UInt8] = []
    ) throws(RequestError) {
        let target = try RequestTarget(parsing: target, method: method)
        self.init(
            method: method, target: target, authority: target.authority ?? "localhost",
            headerFields: headerFields, body: body)
    }
}
