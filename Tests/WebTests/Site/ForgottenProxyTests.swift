import Endpoints
import HTTP
import HTTPTypes
import Logging
import Sockets
import TestSupport
import Testing

@testable import Web

@Suite("A proxy that isn't trusted")
struct ForgottenProxyTests {
    private let log = Recorder<String>()

    private func watch(_ trusted: String = "") throws -> ForgottenProxy {
        ForgottenProxy(
            try #require(TrustedProxies(trusted)),
            Logger(label: "test") { [log] _ in RecordingLogHandler(lines: log) })
    }

    private func request(_ client: String? = "198.51.100.7") throws -> Request {
        var fields: HTTPFields = [:]
        fields[.xForwardedFor] = client
        return try Request(target: "/", headerFields: fields)
    }

    private func peer(_ text: String) throws -> ClientAddress {
        text == "local" ? .local : .internet(try #require(IPAddress(text)))
    }

    private let hour: Int64 = 3600 * 1_000_000_000

    @Test(
        "is named, with what to do",
        arguments: ["127.0.0.1", "::1", "10.0.0.9", "fd00::9", "local"])
    func named(address: String) throws {
        try watch().note(request(), from: peer(address))
        let lines = log.elements
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("warning: X-Forwarded-For from \(address) ") == true)
        #expect(lines.first?.contains("add \(address) to TRUSTED_PROXIES") == true)
        #expect(lines.first?.contains("anyone can send that field") == true)
        #expect(lines.first?.contains("198.51.100.7") == false)
    }

    @Test("is named once an hour, however many requests it sends")
    func throttled() throws {
        let watch = try watch()
        for (time, count) in [(1, 1), (2, 1), (hour - 1, 1), (hour, 2)] {
            for _ in 0..<3 {
                try watch.note(
                    request(), from: peer("127.0.0.1"), at: MonotonicTime(nanoseconds: time))
            }
            #expect(log.count == count, "\(time)")
        }
    }

    @Test("is not seen in a stranger's field, in a request without it, or in a trusted proxy")
    func silent() throws {
        let watch = try watch("10.0.0.0/8")
        for address in ["8.8.8.8", "2a00:1450::1", "10.1.2.3"] {
            try watch.note(request(), from: peer(address))
        }
        try watch.note(request(nil), from: peer("127.0.0.1"))
        #expect(log.elements.isEmpty)
    }

    @Test("is named by the server, for a response from memory, too")
    func server() async throws {
        try await TestServer.run(.seeded, settings: ["LOOPS": "1"], log: log) { server in
            for _ in 0..<2 { _ = try server.send("GET", "/platforms") }
            _ = try server.send("GET", "/platforms", fields: [("X-Forwarded-For", "9.9.9.9")])
            try await eventually("the warning") {
                log.elements.contains { $0.hasPrefix("warning: X-Forwarded-For from 127.0.0.1") }
            }
        }
    }
}
