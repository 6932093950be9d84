/// How much of each part of a request a `RequestParser` accepts.
///
/// Each limit is the largest accepted value. One byte more is an error, thrown as soon as it is
/// certain.
public struct ParserLimits: Sendable {
    /// The request line with its CRLF. Beyond it: 414 (RFC 9112 §3).
    public var requestLineBytes: Int
    /// All field lines with their CRLFs and the empty line that ends them. Beyond it: 431.
    public var headerBytes: Int
    /// The number of field lines. Beyond it: 431.
    public var headerCount: Int
    /// The body, without chunk framing. Beyond it: 413.
    public var bodyBytes: Int
    /// Larger limits for some paths.
    public var largerBodies: [String: Int] = [:]
    /// All trailer field lines with their CRLFs and the empty line that ends them. Beyond it: 431.
    public var trailerBytes: Int
    /// The chunk extensions of all chunks of one body together (RFC 9112 §7.1.1).
    public var chunkExtensionBytes: Int

    public init(
        requestLineBytes: Int = 8192,
        headerBytes: Int = 32768,
        headerCount: Int = 100,
        bodyBytes: Int = 1 << 20,
        trailerBytes: Int = 4096,
        chunkExtensionBytes: Int = 1024
    ) {
        self.requestLineBytes = requestLineBytes
        self.headerBytes = headerBytes
        self.headerCount = headerCount
        self.bodyBytes = bodyBytes
        self.trailerBytes = trailerBytes
        self.chunkExtensionBytes = chunkExtensionBytes
    }

    /// The most bytes of a body that is sent to a path.
    func bodyBytes(to path: String) -> Int {
        largerBodies.isEmpty ? bodyBytes : max(bodyBytes, largerBodies[path] ?? 0)
    }
}
