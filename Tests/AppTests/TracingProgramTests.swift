import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import JSON
import Sockets
import TestSupport
import Testing

/// Stands in for a collector of traces.
private struct Collector: Responder {
    let requests: Recorder<Request>

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        requests.record(request)
        return Response()
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }
}

@Suite("Traces of fave-server", .blocking)
struct TracingProgramTests {
    private struct Span {
        let name: String
        let trace: String
        let id: String
        let parent: String?
    }

    private static func spans(_ requests: [Request]) throws -> [Span] {
        try requests.flatMap { request in
            let json = try JSONParser.parse(request.body)
            let spans = json["resourceSpans"]?.elements.first?["scopeSpans"]?.elements.first?[
                "spans"]?.elements
            return try #require(spans).map { span in
                Span(
                    name: try #require(span["name"]?.text),
                    trace: try #require(span["traceId"]?.text),
                    id: try #require(span["spanId"]?.text), parent: span["parentSpanId"]?.text)
            }
        }
    }

    @Test("hold each request and its statements, and continue those of trusted proxies only")
    func traces() async throws {
        let database = try TestDatabase()
        let loop = try EventLoop(name: "collector")
        defer { loop.stop() }
        let requests = Recorder<Request>()
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        let collector = try await HTTPServer(
            ServerConfiguration(), sockets: [socket], loops: [loop]
        ) { _ in Collector(requests: requests) }
        func run(_ proxies: String) async throws -> [Span] {
            let server = try Program.server.start(
                database: database,
                environment: [
                    "PORT": "0", "LOOPS": "1", "TRUSTED_PROXIES": proxies,
                    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://\(collector.addresses[0])/",
                    "OTEL_TRACES_SAMPLER_ARG": "1", "ACCESS_LOG": "on", "LOG_FORMAT": "json",
                ])
            let port = try #require(
                Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
            for target in ["/ping", "/health"] {
                let connection = try RawConnection(port: port)
                try connection.send(
                    "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try connection.readResponse().status == 200)
            }
            for _ in 0..<2 {
                let connection = try RawConnection(port: port)
                try connection.send(
                    """
                    GET /platforms/win?q=secret HTTP/1.1\r\nHost: x\r\nConnection: close\r
                    traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n
                    """)
                #expect(try connection.readResponse().status < 500)
            }
            _ = try await server.waitForErrors(/"trace":"[0-9a-f]{32}"/)
            server.send(signal: SIGTERM)
            // What is left is sent at the end.
            #expect(try await server.end().status == 0)
            defer { _ = requests.take() }
            #expect(
                requests.elements.allSatisfy {
                    !String(decoding: $0.body, as: UTF8.self).contains("secret")
                })
            return try Self.spans(requests.elements)
        }
        let name = "GET /platforms/{platform}"
        let trusted = try await run("127.0.0.1")
        let ours = trusted.filter { $0.name == name }
        #expect(ours.count == 2)
        #expect(
            ours.allSatisfy {
                $0.trace == "4bf92f3577b34da6a3ce929d0e0e4736" && $0.parent == "00f067aa0ba902b7"
            })
        let statements = trusted.filter { $0.parent == ours[0].id }.map(\.name)
        #expect(statements.contains("platform_by_slug"), "\(statements)")
        #expect(!trusted.contains { $0.name == "GET /ping" || $0.name == "GET /health" })
        let others = try await run("192.0.2.1").filter { $0.name == name }
        #expect(others.count == 2)
        #expect(others.allSatisfy { $0.parent == nil })
        #expect(Set(others.map(\.trace)).count == 2)
        await collector.drain()
    }

    @Test("need an address, and a share from 0 to 1")
    func settings() async throws {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"), ("OTEL_TRACES_SAMPLER_ARG", "1.5"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "novalue"),
        ] {
            var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"]
            environment[name] = value
            let outcome = try await Program.server.run(environment: environment)
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains(name), "\(outcome.errors)")
        }
    }
}
