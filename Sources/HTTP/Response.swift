import HTTPTypes

/// A whole response message, before the connection adds what is its own to say.
public struct Response: Sendable {
    public var status: HTTPResponse.Status
    /// Without Content-Length, Transfer-Encoding, Connection and Date: `ResponseSerializer` sets
    /// these, and leaves out what a handler put here.
    public var headerFields: HTTPFields
    public var body: [UInt8]

    public init(
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}
