public import HTTPTypes

/// A whole request message.
public struct Request: Sendable {
    public var method: HTTPRequest.Method
    public var target: RequestTarget
    /// The host that the client means to talk to, with a port if one was given. It is the authority
    /// of an absolute-form target, which takes precedence (RFC 9112 §3.2.2), or else the Host
    /// field. Empty only in an HTTP/1.0 request without Host. The characters are checked; the case
    /// is as received.
    public var authority: String
    /// All fields except Host, which is `authority`. Those of a received request are built on first
    /// use; `contains(_:)` and `value(of:)` avoid that where they can.
    public var headerFields: HTTPFields {
        get { own ?? received?.all ?? [:] }
        set {
            own = newValue
            received = nil
        }
    }

    /// The fields set by this program; `nil` if the fields are as received.
    private var own: HTTPFields?
    private var received: ReceivedFields?
    /// The body without chunk framing. Trailer fields are checked and dropped (RFC 9110 §6.5.1).
    public var body: [UInt8]
    /// 0 for HTTP/1.0, otherwise 1. A higher minor version is treated as 1.1 (RFC 9110 §2.5).
    public var minorVersion: Int
    /// Whether the client wants to keep using the connection after the response (RFC 9112 §9.3).
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

    /// Makes a request that was received, so far without its body.
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

    /// Whether there is a header field with this name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        received?.contains(name) ?? headerFields.contains(name)
    }

    /// The same as `headerFields[name]`.
    public func value(of name: HTTPField.Name) -> String? {
        if let received { received.value(of: name) } else { headerFields[name] }
    }

    /// Whether `value(of: name)` is this text, or `nil` as the text is, without making a `String`.
    public func hasValue(_ text: String?, of name: HTTPField.Name) -> Bool {
        received?.hasValue(text, of: name) ?? (headerFields[name] == text)
    }

    /// Makes a request as a test would write it, from the target of its request line.
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
