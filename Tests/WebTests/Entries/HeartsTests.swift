import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("A heart", .blocking)
struct HeartsTests {
    /// A site with rob, who is signed in, and ada with a comment.
    private static func run(
        _ body: (TestServer, Browser, _ entry: String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let ada = Person(server: server, token: try await server.makeUser("ada"))
            _ = try ada.put(
                #"{"entries": [{"gameId": 71, "platformId": 6, "comment": "Still <alive>."}]}"#)
            _ = try await server.makeUser("rob")
            let entry: String = try server.database.session().query(
                "SELECT id::text FROM entries")[0][0]
            try await body(server, try server.browser(signedInAs: "rob"), entry)
        }
    }

    private static let pages = ["/@ada", "/games/71", "/platforms/win/games/71", "/entries"]

    @Test("is a button beside comments, and a number for everyone, at once")
    func pages() async throws {
        try await Self.run { server, rob, entry in
            let action = "action=\"/entries/\(entry)/heart\""
            let ada = try server.browser(signedInAs: "ada")
            for page in Self.pages {
                #expect(!(try server.send("GET", page).text.contains("agree")), "\(page)")
                #expect(!(try ada.get(page).text.contains(action)), "one's own: \(page)")
                let before = try rob.get(page).text
                #expect(before.contains(action) && before.contains("aria-pressed=\"false\""))
                let seen = try #require(before.firstMatch(of: /name="seen" value="(\d+)"/)).1
                let given = try rob.post(
                    "/entries/\(entry)/heart",
                    ["do": "give", "return": page, "seen": String(seen)])
                #expect(given["location"] == "\(page)#heart-\(entry)")
                let after = try rob.get(page).text
                #expect(after.contains("aria-pressed=\"true\"") && after.contains("<b>1</b>"))
                for page in Self.pages {
                    let shown = try server.send("GET", page).text
                    #expect(shown.contains("<b>1</b> says me too"), "\(page)")
                    #expect(!shown.contains(action) && !shown.contains("rob"))
                }
                let taken = try rob.post(
                    "/entries/\(entry)/heart", ["do": "take", "return": page])
                #expect(taken.status == 303)
            }
            #expect(try server.count("hearts") == 0)
            let away = try rob.post(
                "/entries/\(entry)/heart", ["do": "give", "return": "https://evil.example"])
            #expect(away["location"] == "/entries#heart-\(entry)")
        }
    }

    @Test("is for the words that were seen")
    func words() async throws {
        try await Self.run { server, rob, entry in
            let page = try rob.get("/@ada").text
            let seen = String(
                try #require(page.firstMatch(of: /name="seen" value="(\d+)"/)).1)
            let changed = try server.send(
                "PATCH", "/api/v1/me/list/entries/\(entry)",
                token: try await server.token(of: "ada"),
                json: #"{"comment": "Buy this!"}"#)
            #expect(changed.status == 200, "\(changed.text)")
            let given = try rob.post(
                "/entries/\(entry)/heart", ["do": "give", "return": "/@ada", "seen": seen])
            #expect(given.status == 303)
            #expect(try server.count("hearts") == 0)
            expectPage(try rob.get("/@ada"), 200, "Buy this!")
        }
    }

    @Test("is in the API, for a comment of someone else on a public list")
    func api() async throws {
        try await Self.run { server, _, entry in
            let rob = try await server.token(of: "rob")
            let ada = try await server.token(of: "ada")
            let path = "/api/v1/entries/\(entry)/heart"
            func hearts(_ token: String? = nil) throws -> (Int?, Bool?) {
                let object = try server.send("GET", path, token: token).object
                return (object["hearts"] as? Int, object["isGiven"] as? Bool)
            }
            #expect(try hearts() == (0, nil))
            for _ in 0..<2 {
                #expect(try server.send("PUT", path, token: rob).status == 204)
            }
            #expect(try hearts() == (1, nil))
            #expect(try hearts(rob) == (1, true))
            #expect(try hearts(ada) == (1, false))
            let found = try server.send("GET", "/api/v1/entries?username=ada").object
            let entries = try #require(found["entries"] as? [[String: Any]])
            #expect(entries.map { $0["hearts"] as? Int } == [1])
            try expectProblem(
                try server.send("PUT", path, token: ada), 409, "other people’s reasons")
            try expectProblem(
                try server.send("PUT", "/api/v1/entries/\(UUID())/heart", token: rob), 404)
            #expect(try server.send("PUT", "/api/v1/entries/x/heart", token: rob).status == 404)
            #expect(try server.send("PUT", path).status == 401)
            // A heart is no change of the list, so nobody's editing is disturbed.
            let list = try server.send("GET", "/api/v1/me/list", token: ada)
            for _ in 0..<2 {
                #expect(try server.send("DELETE", path, token: rob).status == 204)
            }
            #expect(try server.send("GET", "/api/v1/me/list", token: ada)["etag"] == list["etag"])
            #expect(try hearts() == (0, nil))
            for change in [
                "visibility = 'unlisted'", "visibility = 'private'", "disabled_at = now()",
            ] {
                try server.execute("UPDATE users SET \(change) WHERE username = 'ada'")
                #expect(try server.send("PUT", path, token: rob).status == 404, "\(change)")
                #expect(try server.send("GET", path).status == 404, "\(change)")
            }
            #expect(try server.count("hearts") == 0)
        }
    }

    @Test("can be given two hundred times a day")
    func bound() async throws {
        try await Self.run { server, _, entry in
            let rob = try await server.token(of: "rob")
            let path = "/api/v1/entries/\(entry)/heart"
            #expect(try server.send("PUT", path, token: rob).status == 204)
            // As if 199 had been given.
            try server.execute(
                "UPDATE attempts SET empty_at = empty_at + 198 * interval '1 day' / 200")
            #expect(try server.send("PUT", path, token: rob).status == 204)
            let refused = try server.send("PUT", path, token: rob)
            #expect(refused.status == 429 && refused["retry-after"] != nil)
            #expect(try server.send("DELETE", path, token: rob).status == 204)
        }
    }
}
