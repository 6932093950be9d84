import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Where someone is signed in", .blocking)
struct DevicesTests {
    private static let firefox =
        "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"

    private static let clients: [(String, String?)] = [
        (firefox, "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "
                + "(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
            "Safari on iPhone"
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/131.0.0.0 Mobile Safari/537.36", "Chrome on Android"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
                + "Gecko) Version/18.1 Safari/605.1.15", "Safari on macOS"
        ),
        ("curl/7.88.1", "curl"), ("python-requests/2.32.3", "python-requests"),
        ("<script>", nil), ("", nil),
        (String(repeating: "x", count: 500), String(repeating: "x", count: 40)),
    ]

    @Test(
        "is named by what the client says it is",
        arguments: clients)
    func names(userAgent: String, expected: String?) {
        #expect(DeviceName.of(userAgent: userAgent) == expected)
    }

    @Test("is listed in the settings, and ends there one by one, for its user only")
    func settings() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let other = Browser(server)
            try other.get("/sign-in")
            try other.post(
                "/sign-in", ["username": "rob", "password": Browser.password],
                fields: [
                    ("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin"),
                    ("User-Agent", Self.firefox), ("X-Forwarded-For", "203.0.113.77"),
                ])
            let eve = try server.browser("eve")
            let page = try rob.get("/settings")
            expectPage(page, 200, "Firefox on Linux")
            expectPage(page, 200, "signed in on 2 devices")
            #expect(page.text.components(separatedBy: ">This device<").count == 2)
            let path = try #require(
                page.text.firstMatch(of: /"(\/settings\/sessions\/[^"]*)"/).map { String($0.1) })
            try eve.get("/settings")
            #expect(try eve.post(path).status == 303)
            #expect(try other.isSignedIn, "it is not hers")
            try rob.get("/settings")
            #expect(try rob.post(path)["location"] == "/settings?saved=signedOut")
            #expect(try !other.isSignedIn)
            #expect(try rob.isSignedIn)
            #expect(try rob.post("/settings/sessions/x/end").status == 404)
        }
    }

    @Test("is in the API, too")
    func api() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let session = try server.send(
                "POST", "/api/v1/sessions", fields: [("User-Agent", "curl/8")],
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#)
            let token = try #require(try session.object.string("accessToken"))
            let path = "/api/v1/me/sessions"
            let sessions = try server.send("GET", path, token: token).object.objects("sessions")
            #expect(Set(sessions.map { $0.string("kind") }) == ["browser", "api"])
            #expect(sessions.contains { $0.string("device") == "curl" })
            let eve = try await server.makeUser("eve")
            for found in sessions {
                let id = try #require(found.string("id"))
                #expect(try server.send("DELETE", "\(path)/\(id)", token: eve).status == 204)
            }
            #expect(try rob.isSignedIn, "they are not hers")
            let browsers = sessions.filter { $0.string("kind") == "browser" }
            let id = try #require(browsers.first?.string("id"))
            #expect(try server.send("DELETE", "\(path)/\(id)", token: token).status == 204)
            #expect(try !rob.isSignedIn)
            #expect(
                try server.send("GET", path, token: token).object.objects("sessions").count == 1)
            #expect(try server.send("DELETE", "\(path)/x", token: token).status == 404)
        }
    }
}
