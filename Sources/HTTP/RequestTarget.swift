public import HTTPTypes

/// The target of a request: the second word of the request line (RFC 9112 §3.2).
public struct RequestTarget: Sendable, Hashable {
    /// The four forms of RFC 9112 §3.2.
    public enum Form: Sendable, Hashable {
        /// `/path?query`, the usual one.
        case origin
        /// `http://host/path?query`, which clients send to proxies and every server must accept.
        case absolute
        /// `*`, for OPTIONS only.
        case asterisk
        /// `host:port`, for CONNECT only, which `RequestParser` rejects.
        case authority
    }

    public let form: Form

    /// The path as received, still escaped. "/" for an absolute-form target without a path, "*" in
    /// asterisk-form, empty in authority-form.
    public let path: String

    /// The path's segments, each percent-decoded: none for `/`, two for `/a/b`, and two for `/a/`,
    /// the second of them empty.
    ///
    /// None holds a slash, a backslash or a control character, and none is "." or "..", so that
    /// joining them can't lead anywhere else.
    public let segments: [String]

    /// The text after the "?", as received; `nil` without a "?".
    public let query: String?

    /// The authority of an absolute-form or authority-form target.
    public let authority: String?

    init(
        form: Form, path: String, segments: [String] = [], query: String? = nil,
        authority: String? = nil
    ) {
        self.form = form
        self.path = path
        self.segments = segments
        self.query = query
        self.authority = authority
    }

    /// Parses the target of a request line with this method.
    public init(parsing text: String, method: HTTPRequest.Method = .get) throws(RequestError) {
        self = try RequestTarget(parsing: Array(text.utf8).span, method: method)
    }

    /// The query's items, read as `application/x-www-form-urlencoded`.
    public func queryItems() throws(RequestError) -> FormItems {
        guard let query else { return FormItems() }
        return try FormItems(parsing: query)
    }
}
