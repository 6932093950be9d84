public import HTTPTypes

/// A complete response, except for the fields that are added when it is sent.
public struct Response: Sendable {
    public var status: HTTPResponse.Status
    /// All fields but Content-Length, Transfer-Encoding, Connection and Date. `ResponseSerializer`
    /// decides on those, and leaves out any that a handler sets here.
    public var headerFields: HTTPFields
    /// Further fields that many responses share.
    public var writtenFields: WrittenFields?
    /// The field Cache-Status, which is the same for most responses from memory.
    public var cacheStatus: WrittenFields?
    /// The value of the field X-Request-ID, which differs for each response. It is not among the
    /// fields, so that a response from memory needs no fields of its own.
    public var requestID: String?
    public var body: [UInt8]
    /// Whether the server may cache the response for others; `nil` if its handler leaves that to
    /// the route. It is not sent: Cache-Control tells other caches what they may do.
    public var cacheability: Cacheability?
    /// The pattern of the path that the response belongs to, for logs and metrics. It is not sent.
    public var route: String?

    public init(
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// Whether a response may be sent to other clients that send the same request. It does not say
    /// which clients.
    public enum Cacheability: Sendable {
        case never
        /// As long as the data that it was made from stays the same.
        case untilChanged
        /// Changed content would have another address.
        case forEver
    }

    /// Forbids everyone to store the response: it is for one person, or for this moment only.
    public mutating func forbidCaching() {
        headerFields[.cacheControl] = "no-store"
        cacheability = .never
    }
}

/// Header fields that are serialized once, then copied in one piece into every response that has
/// them.
public struct WrittenFields: Sendable {
    let lines: [UInt8]

    public init(_ fields: some Sequence<HTTPField>) {
        var lines: [UInt8] = []
        for field in fields { ResponseSerializer.append(field, to: &lines) }
        self.lines = lines
    }

    /// The length of the serialized fields in bytes.
    public var count: Int { lines.count }

    /// These fields followed by `others`. The two must have no field name in common.
    public func followed(by others: WrittenFields) -> WrittenFields {
        WrittenFields(lines: lines + others.lines)
    }

    private init(lines: [UInt8]) {
        self.lines = lines
    }
}
