import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Logging
import Sockets
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import Traces

@Suite("A trace context", .blocking)
struct TraceContextTests {
    private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("is read and written as W3C Trace Context says")
    func traceparent() throws {
        let context = try #require(TraceContext(traceparent: Self.text))
        #expect(context.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID == 0x00f0_67aa_0ba9_02b7)
        #expect(context.isSampled)
        #expect(context.traceparent == Self.text)
        let other = try #require(TraceContext(traceparent: Self.text.dropLast(2) + "02"))
        #expect(!other.isSampled)
        // A later version may say more.
        #expect(TraceContext(traceparent: "01" + Self.text.dropFirst(2) + "-more") != nil)
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        ])
    func malformed(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}

/// Stands in for a collector: keeps the requests, and responds with a status.
private struct Collector: Responder {
    let requests: Recorder<Request>
    let status: HTTPResponse.Status

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        requests.record(request)
        return Response(status: status)
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }
}

@Suite("Traces", .blocking)
struct TracesTests {
    /// Runs `body` with an exporter whose collector responds with a status.
    private func withExporter(
        _ status: HTTPResponse.Status = .ok,
        _ body: @escaping @Sendable (SpanExporter, Recorder<Request>) async throws -> Void
    ) async throws {
        let clock = TestClock(isRunning: true)
        let loop = try EventLoop(clock)
        defer { loop.stop() }
        let requests = Recorder<Request>()
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        let server = try await HTTPServer(ServerConfiguration(), sockets: [socket], loops: [loop]) {
            _ in Collector(requests: requests, status: status)
        }
        let client = HTTPClient(on: loop)
        let exporter = SpanExporter(
            .init(
                endpoint: "http://\(server.addresses[0])",
                headerFields: [.authorization: "Basic x"],
                service: "games", version: "9"),
            client: client, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await Task(executorPreference: loop) { try await body(exporter, requests) }.value
        await client.close()
        let drained = Recorder<Bool>()
        Task {
            await server.drain()
            drained.record(true)
        }
        try await eventually("the end of the collector") {
            await clock.advance(by: .seconds(10), on: loop)
            return drained.count == 1
        }
    }

    private func spans(of request: Request) throws -> [JSONValue] {
        let json = try JSONParser.parse(request.body)
        let resource = try #require(json["resourceSpans"]?.elements.first)
        let scope = try #require(resource["scopeSpans"]?.elements.first)
        return try #require(scope["spans"]).elements
    }

    @Test("are sent as OTLP, with parents, kinds and attributes")
    func exported() async throws {
        try await withExporter { [self] exporter, requests in
            let tracer = OTLPTracer(exporter, ratio: 1)
            let outer = tracer.startSpan("GET /games", context: .topLevel, ofKind: .server)
            let inner = tracer.startSpan("ranking", context: outer.context, ofKind: .client)
            inner.attributes["db.operation.name"] = "ranking"
            inner.recordError(TestFailure("it broke"))
            inner.end()
            outer.attributes["http.response.status_code"] = 200
            outer.end()
            outer.end()
            #expect(await exporter.sendBatch() == .some(nil))
            #expect(await exporter.sendBatch() == nil)
            #expect(exporter.counts.sent == 2 && exporter.counts.dropped == 0)
            let request = try #require(requests.elements.first)
            #expect(request.method == .post && request.target.path == "/v1/traces")
            #expect(request.headerFields[.contentType] == "application/json")
            #expect(request.headerFields[.authorization] == "Basic x")
            let spans = try spans(of: request)
            #expect(spans.count == 2)
            #expect(spans[0]["name"]?.text == "ranking" && spans[1]["name"]?.text == "GET /games")
            #expect(spans[0]["kind"]?.integer == 3 && spans[1]["kind"]?.integer == 2)
            #expect(spans[0]["traceId"]?.text == spans[1]["traceId"]?.text)
            #expect(spans[0]["parentSpanId"]?.text == spans[1]["spanId"]?.text)
            #expect(spans[1]["parentSpanId"] == nil)
            #expect(spans[0]["status"]?["code"]?.integer == 2)
            #expect(spans[1]["status"] == nil)
            let attribute = try #require(spans[1]["attributes"]?.elements.first)
            #expect(attribute["key"]?.text == "http.response.status_code")
            #expect(attribute["value"]?["intValue"]?.text == "200")
            let start = try #require(spans[1]["startTimeUnixNano"]?.text.flatMap { UInt64($0) })
            let end = try #require(spans[1]["endTimeUnixNano"]?.text.flatMap { UInt64($0) })
            #expect(start <= end && abs(Date().timeIntervalSince1970 - Double(end) / 1e9) < 60)
        }
    }

    @Test("are recorded if their first span says so, and otherwise as often as the ratio")
    func sampling() async throws {
        try await withExporter { exporter, _ in
            let never = OTLPTracer(exporter, ratio: 0)
            #expect(!never.startSpan("a", context: .topLevel).isRecording)
            var context = InstrumentationContext.topLevel
            context.trace = TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            #expect(never.startSpan("a", context: context).isRecording)
            context.trace = TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
            #expect(!OTLPTracer(exporter, ratio: 1).startSpan("a", context: context).isRecording)
            let half = OTLPTracer(exporter, ratio: 0.5)
            let count = (0..<1000).count { _ in half.startSpan("a", context: .topLevel).isRecording
            }
            #expect((300...700).contains(count))
        }
    }

    @Test("that wait are bounded, and those that the collector rejects are dropped")
    func bounded() async throws {
        try await withExporter(.serviceUnavailable) { exporter, requests in
            let tracer = OTLPTracer(exporter, ratio: 1)
            for _ in 0..<SpanExporter.limit + 10 { tracer.startSpan("a", context: .topLevel).end() }
            #expect(exporter.counts.dropped == 10)
            #expect(await exporter.sendBatch() == "status 503")
            #expect(requests.count == 1)
            #expect(exporter.counts.dropped == 10 + SpanExporter.batch)
            #expect(exporter.counts.sent == 0)
        }
    }

    @Test("reach other servers by traceparent")
    func propagation() async throws {
        try await withExporter { exporter, _ in
            let tracer = OTLPTracer(exporter, ratio: 1)
            let span = tracer.startSpan("a", context: .topLevel)
            var fields: [String: String] = [:]
            tracer.inject(span.context, into: &fields, using: DictionaryInjector())
            #expect(fields == ["traceparent": span.trace.traceparent])
            var context = InstrumentationContext.topLevel
            tracer.extract(fields, into: &context, using: DictionaryExtractor())
            #expect(context.trace == span.trace)
        }
    }
}

private struct DictionaryInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }
}

private struct DictionaryExtractor: Extractor {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
}
