import Foundation
import Storage
import StorageWrites
import TestSupport
import Testing

@Suite("A blocked word", .blocking)
struct RefusedWordsTests {
    private static let settings = ["REFUSED_WORDS": "pills, spam.example"]

    @Test("is refused in comments, tags, names and descriptions, saying which")
    func refused() async throws {
        try await TestServer.run(settings: Self.settings) { server in
            let rob = try server.browser("robin")
            let token = try await server.token(of: "robin")
            let said = "“pills” isn’t allowed on this site."
            func expect(_ method: String, _ path: String, _ json: String) throws {
                try expectProblem(
                    try server.send(
                        method, path, token: token, fields: [("If-Match", "*")], json: json), 422,
                    "isn’t allowed")
            }
            try expect(
                "POST", "/api/v1/me/list/entries",
                #"{"gameId": 71, "platformId": 6, "comment": "Pills!"}"#)
            try expect(
                "POST", "/api/v1/me/list/entries",
                #"{"gameId": 71, "platformId": 6, "tags": ["pills"]}"#)
            try expect(
                "PUT", "/api/v1/me/list",
                #"{"entries": [{"gameId": 71, "platformId": 6, "comment": "www.spam.example/x"}]}"#)
            try expect("PATCH", "/api/v1/me", #"{"bio": "Cheap pills"}"#)
            try expect("PATCH", "/api/v1/me", #"{"displayName": "Pills"}"#)
            try expect("PATCH", "/api/v1/me", #"{"username": "my-pills"}"#)
            let profile = [
                "displayName": "Rob", "bio": "Pills", "visibility": "public",
                "showsRatings": "no",
            ]
            try rob.get("/settings")
            expectFault(try rob.post("/settings/profile", profile), at: "bio", said)
            expectFault(
                try rob.post(
                    "/settings/profile",
                    profile.merging(["bio": "", "displayName": "Pills"]) { $1 }),
                at: "display-name", said)
            let eve = Browser(server)
            try eve.get("/sign-up")
            expectFault(
                try eve.post("/sign-up", ["username": "pills", "password": Browser.password]),
                at: "username", said)
            let v0 = try server.send(
                "POST", "/api/v0/my-fave-games", token: token,
                json: #"{"gameId": "71", "platformId": 6, "reasons": "pills"}"#)
            #expect(v0.status == 422)
            #expect(
                try server.count("entries WHERE comment <> '' AND comment ILIKE '%pills%'") == 0)
        }
    }

    @Test("is told beside each entry that has it, and not beside what was there before")
    func editor() async throws {
        try await TestServer.run(settings: Self.settings) { server in
            let rob = try server.browser("robin")
            try server.execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id, comment)
                SELECT id, 1, 71, 6, 'Old pills' FROM users WHERE username = 'robin'
                """)
            var form = try HTMLForm(rob.get("/me").text, marker: "data-editor")
            for game in [117, 120] {
                let page = try rob.post("/me", inOrder: form.items + [("do", "add:\(game)")])
                form = try HTMLForm(page.text, marker: "data-editor")
            }
            for place in [1, 2] { try form.set("platform", place, "48") }
            try form.set("comment", 1, "My PILLS")
            try form.set("comment", 2, "Fine")
            try form.set("tags", 2, "good, spam.example")
            let page = try rob.post("/me", inOrder: form.items + [("do", "save")])
            expectPage(page, 422, "Not saved yet")
            peek(page, "blocked")
            let keys = form.values("entry")
            func fault(_ field: String, _ place: Int) -> String? {
                page.text.components(separatedBy: "id=\"\(field)-fault-\(keys[place])\">")
                    .dropFirst().first?.components(separatedBy: "</p>").first
            }
            #expect(fault("comment", 0) == nil)
            #expect(fault("comment", 1) == "“pills” isn’t allowed on this site.")
            #expect(fault("comment", 2) == nil && fault("tags", 1) == nil)
            #expect(fault("tags", 2) == "“spam.example” isn’t allowed on this site.")
            let control = page.control("comment-\(keys[1])")
            #expect(control.contains("aria-invalid=\"true\""))
            #expect(control.contains("aria-describedby=\"comment-fault-\(keys[1])\""))
            // The summary links to each, and has the focus.
            #expect(page.text.contains("href=\"#comment-\(keys[1])\""))
            #expect(page.text.matches(of: /<[^>]* autofocus/).count == 1)
            #expect(page.text.contains("My PILLS"))
        }
    }

    @Test("that was written before doesn't keep anyone from changing the rest")
    func before() async throws {
        try await TestServer.run(settings: Self.settings) { server in
            let token = try await server.makeUser("robin")
            try server.execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id, comment)
                SELECT id, 1, 71, 6, 'Pills' FROM users WHERE username = 'robin'
                """)
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: token,
                json: #"{"gameId": 117, "platformId": 48, "comment": "Trico."}"#)
            #expect(added.status == 201, "\(added.text)")
        }
    }
}

@Suite("The list of a new account", .blocking)
struct NewListTests {
    private static let settings = ["NEW_LIST_DELAY_HOURS": "24"]

    private static let everywhere = [
        "/", "/entries", "/users?search=rob", "/sitemap.xml?part=lists-0",
        "/platforms/win/games/71", "/api/v1/users?search=rob", "/api/v1/entries",
    ]

    @Test("is shown publicly after a day, or when a moderator says so, and works at its link")
    func delay() async throws {
        for approves in [true, false] {
            try await TestServer.run(settings: Self.settings) { server in
                _ = try server.browser("robin")
                let added = try server.send(
                    "POST", "/api/v1/me/list/entries", token: await server.token(of: "robin"),
                    json:
                        #"{"gameId": 71, "platformId": 6, "comment": "The cake is a lie, robin."}"#
                )
                #expect(added.status == 201)
                func shown() throws -> [String] {
                    try Self.everywhere.filter { try server.send("GET", $0).text.contains("robin") }
                }
                #expect(try shown().isEmpty)
                let page = try server.send("GET", "/@robin")
                expectPage(page, 200, "The cake is a lie, robin.")
                expectPage(page, 200, "<meta name=\"robots\" content=\"noindex\">")
                #expect(
                    try server.send("GET", "/api/v1/users/robin/list")["x-robots-tag"] == "noindex")

                if approves {
                    let ann = try server.browser("annie")
                    try server.execute(
                        "UPDATE users SET role = 'moderator' WHERE username = 'annie'")
                    let queue = try ann.get("/moderation")
                    expectPage(queue, 200, "New lists")
                    #expect(
                        try ann.post("/moderation/new/robin")["location"]
                            == "/moderation?done=approved")
                    expectPage(try ann.post("/moderation/new/robin"), 404)
                } else {
                    try await withStore(server.database) {
                        _ = try await $0.maintain(.endTerms, ifDue: false)
                    }
                    #expect(try shown().isEmpty)
                    try server.execute(
                        "UPDATE users SET new_until = now() WHERE new_until IS NOT NULL")
                    try await withStore(server.database) {
                        _ = try await $0.maintain(.endTerms, ifDue: false)
                    }
                }
                let missing = try Set(Self.everywhere).subtracting(shown())
                #expect(missing.isEmpty, "\(missing)")
                #expect(try !server.send("GET", "/@robin").text.contains("noindex"))
            }
        }
    }

    @Test("counts in rankings at once")
    func counts() async throws {
        try await TestServer.run(settings: Self.settings) { server in
            _ = try server.browser("robin")
            func count() throws -> Int {
                try server.database.session().query(
                    "SELECT coalesce(sum(count), 0) FROM included_by WHERE game_id = 71")[0][0]
            }
            let before = try count()
            _ = try server.send(
                "POST", "/api/v1/me/list/entries", token: await server.token(of: "robin"),
                json: #"{"gameId": 71, "platformId": 6}"#)
            #expect(try count() == before + 1)
        }
    }
}
