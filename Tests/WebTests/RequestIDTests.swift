import Endpoints
import Foundation
import HTTP
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Web

@Suite("The number of a request", .blocking)
struct RequestIDTests {
    private static let proxyID = "0190163D-8694-739B-AEA5-966C26F8AD91"

    private static func request(_ value: String) throws -> Request {
        try Request(target: "/", headerFields: [.xRequestID: value])
    }

    @Test("is a proxy's own, if that is believed, as it writes it")
    func given() throws {
        let request = try Self.request(Self.proxyID)
        let id = RequestID(of: request, isTrusted: true)
        #expect(id.text == Self.proxyID)
        #expect(id.urn == "urn:uuid:\(Self.proxyID.lowercased())")
        #expect(RequestID(of: request, isTrusted: false).text != Self.proxyID)
    }

    @Test("may be given without hyphens")
    func digits() throws {
        let digits = Self.proxyID.replacing("-", with: "")
        let id = RequestID(of: try Self.request(digits), isTrusted: true)
        #expect(id.text == digits)
        #expect(id.urn == "urn:uuid:\(Self.proxyID.lowercased())")
    }

    @Test(
        "is made here instead of what is none",
        arguments: [
            "", "1", proxyID + "0", "x" + proxyID.dropFirst(), proxyID.replacing("-", with: " "),
            "{" + proxyID.dropFirst().dropLast() + "}", String(repeating: "ä", count: 16),
            String(repeating: "1", count: 33),
        ])
    func malformed(value: String) throws {
        let id = RequestID(of: try Self.request(value), isTrusted: true)
        #expect(id.text != value)
        #expect(UUID(uuidString: id.text) != nil)
        #expect(id.urn == "urn:uuid:\(id.text)")
    }

    @Test("stands in the lines of the log")
    func log() throws {
        let id = RequestID(of: try Self.request(Self.proxyID), isTrusted: true)
        let logger = id.naming(Logger(label: "test"))
        #expect(logger[metadataKey: "request"] == "\(Self.proxyID)")
    }

    @Test(
        "comes with every answer, another one each time",
        arguments: [
            "/", "/api/v1/platforms", "/api/v1/nothing", "/nothing", "/@rob/embed",
            "/assets/site.css", "/ping", "/me", "/?%",
        ])
    func everywhere(path: String) async throws {
        let world = try await World.shared
        let field = [("X-Request-ID", Self.proxyID)]
        let ids = try [world.get(path, field), world.get(path, field)].map {
            try #require($0["x-request-id"])
        }
        #expect(Set(ids + [Self.proxyID]).count == 3, "the test's machine is no trusted proxy")
        #expect(ids.allSatisfy { UUID(uuidString: $0) != nil })
    }

    @Test("comes with the answer to what is no request")
    func connectionErrors() async throws {
        let connection = try await RawConnection(port: World.shared.server.port)
        try connection.send("GET / HTTP/1.1\r\n\r\n")
        try expectProblem(try connection.readResponse(), 400)
    }

    @Test("is kept if a trusted proxy gave it")
    func proxy() async throws {
        try await TestServer.run(.migrated, settings: ["TRUSTED_PROXIES": "127.0.0.1"]) { server in
            let response = try server.send(
                "GET", "/api/v1/nothing", fields: [("X-Request-ID", Self.proxyID)])
            #expect(response["x-request-id"] == Self.proxyID)
            #expect(
                try response.object.string("instance") == "urn:uuid:\(Self.proxyID.lowercased())")
        }
    }
}
