import HTTPTypes
import Testing

@testable import HTTP

/// Feeds a parser as a connection would, and tells what came of it.
struct ParserHarness {
    /// What a stream of bytes led to, in a form that can be compared and read.
    struct Outcome: Equatable {
        var events: [String] = []
        var requests: [String] = []
        var error: RequestError.Code?
    }

    var limits = ParserLimits()

    /// The outcome for `bytes` when they arrive in pieces that end at `cuts`.
    func outcome(of bytes: [UInt8], cutAt cuts: [Int] = []) -> Outcome {
        var parser = RequestParser(limits: limits)
        var outcome = Outcome()
        var pending: [UInt8] = []
        var start = 0
        for end in cuts + [bytes.count] {
            pending += bytes[start..<end]
            start = end
            do throws(RequestError) {
                try Self.drain(&parser, &pending, into: &outcome)
            } catch {
                outcome.error = error.code
                // The parser must stay failed, whatever comes.
                #expect(throws: error) { try Self.parseOnce(&parser, Array("GET / HTTP".utf8)) }
                #expect(throws: error) { try Self.parseOnce(&parser, []) }
                #expect(!parser.isIdle && !parser.hasHead)
                return outcome
            }
        }
        return outcome
    }

    /// The outcome for `bytes`, having checked that it is the same when they come at once, one by
    /// one, and in two pieces cut anywhere.
    func outcome(ofAnyCut bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation)
        -> Outcome
    {
        let atOnce = outcome(of: bytes)
        let single = outcome(of: bytes, cutAt: Array(0..<bytes.count))
        #expect(single == atOnce, "one by one", sourceLocation: sourceLocation)
        for cut in 0..<bytes.count {
            let halves = outcome(of: bytes, cutAt: [cut])
            #expect(halves == atOnce, "cut at \(cut)", sourceLocation: sourceLocation)
        }
        return atOnce
    }

    /// The error for a text, however it is cut, and with another request before and after it.
    func error(in text: String, sourceLocation: SourceLocation = #_sourceLocation)
        -> RequestError.Code?
    {
        error(in: Array(text.utf8), sourceLocation: sourceLocation)
    }

    func error(in bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation)
        -> RequestError.Code?
    {
        let other = Array("GET /other HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let alone = outcome(ofAnyCut: bytes, sourceLocation: sourceLocation)
        let followed = outcome(of: bytes + other)
        #expect(followed.error == alone.error, "with a follower", sourceLocation: sourceLocation)
        if alone.error != nil {
            #expect(followed.requests == alone.requests, sourceLocation: sourceLocation)
        }
        let preceded = outcome(of: other + bytes)
        #expect(
            preceded.error == alone.error, "with a predecessor", sourceLocation: sourceLocation)
        return alone.error
    }

    /// The requests in a text that is expected to be free of errors, however it is cut.
    func requests(in text: String, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
        let outcome = outcome(ofAnyCut: Array(text.utf8), sourceLocation: sourceLocation)
        #expect(outcome.error == nil, sourceLocation: sourceLocation)
        return outcome.requests
    }

    /// The first request in a text that arrives at once.
    static func request(_ text: String) throws -> Request {
        var parser = RequestParser()
        var bytes = Array(text.utf8)
        while true {
            let (consumed, event) = try parseOnce(&parser, bytes)
            if case .request(let request) = event { return request }
            bytes.removeFirst(consumed)
            try #require(consumed > 0 || event != nil, "no complete request")
        }
    }

    @discardableResult
    static func parseOnce(
        _ parser: inout RequestParser, _ bytes: [UInt8]
    ) throws(RequestError) -> (consumed: Int, event: RequestParser.Event?) {
        try parser.parse(bytes.span)
    }

    private static func drain(
        _ parser: inout RequestParser, _ pending: inout [UInt8], into outcome: inout Outcome
    ) throws(RequestError) {
        while true {
            let (consumed, event) = try parseOnce(&parser, pending)
            pending.removeFirst(consumed)
            switch event {
            case .head(let expectsContinue):
                outcome.events.append("head \(expectsContinue)")
            case .request(let request):
                outcome.events.append("request")
                outcome.requests.append(describe(request))
            case nil:
                if consumed == 0 { return }
            }
        }
    }

    /// One line with all that a request holds.
    static func describe(_ request: Request) -> String {
        let fields = request.headerFields.map { "\($0.name.canonicalName): \($0.value)" }
        let parts = [
            "\(request.method)", request.target.path, "?\(request.target.query ?? "-")",
            "@\(request.authority)", "1.\(request.minorVersion)",
            request.isPersistent ? "keep" : "close", "[\(fields.joined(separator: "; "))]",
            String(decoding: request.body, as: UTF8.self),
        ]
        return parts.joined(separator: " ")
    }
}
