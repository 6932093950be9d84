import HTTPTypes

/// A whole response message, before the connection adds what is its own to say.
public struct Response: Sendable {
    public var status: HTTPResponse.Status
    /// Without Content-Length, Transfer-Encoding, Connection and Date: `ResponseSerializer` sets
    /// these, and leaves out what a handler put here.
    public var headerFields: HTTPFields
    /// Further fields, which many responses have.
    public var writtenFields: WrittenFields?
    public var body: [UInt8]

    public init(
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

/// Header fields that are written once, and copied in one piece into every response that has them.
public struct WrittenFields: Sendable {
    let lines: [UInt8]

    public init(_ fields: some Sequence<HTTPField>) {
        var lines: [UInt8] = []
        for field in fields { ResponseSerializer.append(field, to: &lines) }
        self.lines = lines
    }

    /// These and behind them the others, of which none may be of the same name.
    public func followed(by others: WrittenFields) -> WrittenFields {
        WrittenFields(lines: lines + others.lines)
    }

    private init(lines: [UInt8]) {
        self.lines = lines
    }
}
