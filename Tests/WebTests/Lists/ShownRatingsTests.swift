import Foundation
import TestSupport
import Testing

@Suite("Ratings", .blocking)
struct ShownRatingsTests {
    private static let list = """
        {"entries": [{"gameId": 71, "platformId": 6, "comment": "Cake", "rating": 2}]}
        """

    /// What others see of rob's ratings: on the pages, and in both APIs.
    private static func seen(_ server: TestServer) throws -> [Bool] {
        let places = [
            "/@rob", "/games/71", "/platforms/win", "/platforms/win/games/71", "/entries",
            "/entries?rating=2", "/@rob/feed", "/@rob/embed",
        ]
        let pages = try places.map { try server.send("GET", $0).text.contains("Rated 2 out of 5") }
        let responses = try [
            "/api/v1/users/rob/list", "/api/v1/entries", "/api/v1/entries?rating=2",
            "/api/v1/platforms/win/games/71/entries",
        ].map { try server.send("GET", $0).text.contains("\"rating\":2") }
        return pages + responses
    }

    @Test("are seen by others only while their user shows them, from the next response on")
    func choice() async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            try server.execute("UPDATE users SET shows_ratings = DEFAULT")
            let rob = try server.browser(signedInAs: "rob")
            let saved = try Person(server: server, token: token).put(Self.list)
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try !Self.seen(server).contains(true))
            // The user does, wherever they edit.
            #expect(
                try server.send("GET", "/api/v1/me/list", token: token).text.contains(
                    "\"rating\":2"))
            #expect(try rob.get("/me").text.contains("<option value=\"2\" selected>"))

            let profile = ["displayName": "Rob", "bio": "", "visibility": "public"]
            try rob.get("/settings")
            _ = try rob.post("/settings/profile", profile.merging(["showsRatings": "yes"]) { $1 })
            #expect(
                try rob.get("/settings").text.contains(
                    "value=\"yes\" aria-describedby=\"shows-ratings-hint\" checked"))
            let seen = try Self.seen(server)
            #expect(seen.filter { $0 }.count >= 8, "\(seen)")

            try rob.get("/settings")
            expectFault(
                try rob.post("/settings/profile", profile), at: "shows-ratings", "is missing")
            #expect(try Self.seen(server) == seen)
            try rob.get("/settings")
            _ = try rob.post("/settings/profile", profile.merging(["showsRatings": "no"]) { $1 })
            #expect(try !Self.seen(server).contains(true))
        }
    }

    @Test("are shown or hidden in the API, too")
    func api() async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            func change(_ json: String) throws -> RawResponse {
                try server.send("PATCH", "/api/v1/me", token: token, json: json)
            }
            #expect(
                try change(#"{"showsRatings": false}"#).object["showsRatings"] as? Bool == false)
            #expect(try change(#"{"bio": "x"}"#).object["showsRatings"] as? Bool == false)
            #expect(try change(#"{"showsRatings": true}"#).object["showsRatings"] as? Bool == true)
            for wrong in ["\"yes\"", "1", "null"] {
                let response = try change("{\"showsRatings\": \(wrong)}")
                #expect(response.status == 422, "\(wrong) \(response.text)")
                #expect(response.text.contains("\"pointer\":\"/showsRatings\""))
            }
            #expect(try !server.send("GET", "/api/v1/users/rob").text.contains("showsRatings"))
        }
    }
}
