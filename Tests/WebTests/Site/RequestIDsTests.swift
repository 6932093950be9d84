import Foundation
import TestSupport
import Testing

@Suite("The number of a request to the site", .blocking)
struct RequestIDsTests {
    private static let proxyID = "0190163D-8694-739B-AEA5-966C26F8AD91"

    @Test(
        "comes with every response, another one each time",
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

    @Test("comes with the response to what is no request")
    func connectionErrors() async throws {
        let connection = try await RawConnection(port: World.shared.server.port)
        try connection.send("GET /ping HTTP/1.1\r\n\r\n")
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
