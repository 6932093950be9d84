import FaveGames
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Games from elsewhere", .blocking)
struct ImportsTests {
    private static func send(
        _ server: TestServer, _ token: String, _ csv: String, type: String = "text/csv"
    ) throws -> RawResponse {
        // To read ten thousand rows is work of seconds, which a busy machine makes minutes.
        let connection = try RawConnection(port: server.port, timeout: 600)
        try connection.send(
            """
            POST /api/v1/me/import HTTP/1.1\r\nHost: fave.example\r\nConnection: close\r
            Authorization: Bearer \(token)\r\nContent-Type: \(type)\r\nContent-Length: \(csv.utf8.count)\r
            \r\n
            """ + csv)
        return try connection.readResponse()
    }

    /// Waits until an import is over.
    fileprivate static func wait(
        _ server: TestServer, _ token: String
    ) async throws -> [String: Any] {
        var found: [String: Any] = [:]
        try await eventually("the end of an import") {
            found = try server.send("GET", "/api/v1/me/import", token: token).object
            return found.string("state") != "running"
        }
        return found
    }

    private static func rows(
        _ server: TestServer, _ token: String, _ query: String = ""
    ) throws -> [[String: Any]] {
        try server.send("GET", "/api/v1/me/import/rows\(query)", token: token).object
            .objects("rows")
    }

    @Test("fill an import, the best rated first, and never change the list")
    func filling() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            let before = try server.count("entries")
            let begun = try Self.send(
                server, rob,
                "name,platform,rating,review,tags\n"
                    + "Portal,PC,3,\"'=1+1, I say\",puzzle\nNo such game,PC,5,,\n"
                    + "The Last Guardian,PS4,5,Trico.,\n")
            #expect(begun.status == 202, "\(begun.text)")
            #expect(begun["location"] == "/api/v1/me/import")
            #expect(begun["cache-control"] == "no-store")
            #expect(try begun.object.int("rowCount") == 3)
            let done = try await Self.wait(server, rob)
            #expect(done.string("state") == "done")
            #expect((done.int("doneCount"), done.int("suggestedCount")) == (3, 2))
            let rows = try Self.rows(server, rob)
            #expect(rows.map { $0.object("game").int("id") } == [117, 71])
            #expect(rows.map { $0.object("platform").int("id") } == [48, 6])
            #expect(rows.map { $0.int("line") } == [4, 2])
            #expect(rows[1].string("comment") == "=1+1, I say")
            let left = try Self.rows(server, rob, "?leftOut=true")
            #expect(left.map { $0.string("finding") } == ["no_game"])
            #expect(try server.count("entries") == before)
            try expectProblem(
                server.send("GET", "/api/v1/me/import/rows?leftOut=x", token: rob), 400, "leftOut")

            let ada = try await server.makeUser("ada")
            #expect(try server.send("GET", "/api/v1/me/import", token: ada).status == 404)
            #expect(try Self.rows(server, ada).isEmpty)
            #expect(try server.send("DELETE", "/api/v1/me/import", token: ada).status == 204)
            #expect(try Self.rows(server, rob).count == 2)
            let export = try server.send("GET", "/api/v1/me/export", token: rob).object
            #expect(export.object("import").objects("rows").count == 3)
            #expect(try server.send("DELETE", "/api/v1/me/import", token: rob).status == 204)
            #expect(try server.count("import_rows") == 0)
        }
    }

    @Test("can be ten thousand, while others are served as always")
    func many() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            let names: [String] = try server.database.session().query(
                "SELECT array_agg(name) FROM (SELECT name FROM games ORDER BY id LIMIT 500) g")[0][
                    0]
            var csv = "name,platform,rating,review\n"
            for number in 0..<10_000 {
                let name = number.isMultiple(of: 3) ? names[number % names.count] : "Game \(number)"
                csv += "\"\(name.replacing("\"", with: "\"\""))\",PC,\(number % 11),"
                csv += "\"Line one of \(number)\nand line two, which says more about it.\"\n"
            }
            let begun = try Self.send(server, rob, csv)
            #expect(begun.status == 202, "\(begun.text)")
            var served = 0
            var state: String?
            try await eventually("the end of the import") {
                #expect(try server.send("GET", "/api/v1/platforms/win").status == 200)
                let found = try server.send("GET", "/api/v1/me/import", token: rob).object
                state = found.string("state")
                #expect(try #require(found.int("doneCount")) <= 10_000)
                if state == "running" { served += 1 }
                return state != "running"
            }
            #expect(state == "done")
            // Forty batches of rows, between which others have their turns.
            #expect(served > 3, "others were kept waiting")
            #expect(try server.count("import_rows WHERE finding IS NULL") == 0)
            #expect(try server.count("import_rows") == 10_000)
        }
    }

    @Test("in a hostile file are refused with the line, and nothing is stored")
    func hostile() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try await server.makeUser("rob")
            let many = "name\n" + String(repeating: "x\n", count: 10_001)
            for (csv, text) in [
                ("", "The file is empty"), ("\n\n", "The file is empty"),
                ("name\n", "no rows below"), ("id,rating\n1,5\n", "Line 1: no column"),
                ("name\n\"x\ny\n", "Line 2: the quotation mark"),
                ("name\n\"x\" y\n", "Line 2: there is text after"),
                ("name\nx\n\0\n", "Line 3: there is a NUL"),
                (String(repeating: ",", count: 1_000_000), "Line 1: there are more than 200"),
                ("name\n" + String(repeating: "x", count: 70_000), "Line 2: a field is longer"),
                (many, "Line 10002: there are more than 10000 rows"),
            ] {
                let response = try Self.send(server, rob, csv)
                try expectProblem(response, 422, text)
            }
            let connection = try RawConnection(port: server.port)
            let bytes: [UInt8] = Array("name\nx\n".utf8) + [0xC3, 0x28]
            try connection.send(
                "POST /api/v1/me/import HTTP/1.1\r\nHost: fave.example\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(rob)\r\nContent-Type: text/csv\r\n"
                    + "Content-Length: \(bytes.count)\r\n\r\n")
            try connection.send(bytes)
            try expectProblem(connection.readResponse(), 422, "Line 3: this isn’t UTF-8")
            try expectProblem(
                Self.send(server, rob, "name\nx", type: "text/plain"), 415, "text/csv")
            #expect(try server.count("imports") == 0)
        }
    }

    @Test("are refused by their announced length alone, with a page for people")
    func tooLarge() async throws {
        try await TestServer.run(.migrated) { server in
            func announce(_ path: String, _ length: Int) throws -> RawResponse {
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "POST \(path) HTTP/1.1\r\nHost: fave.example\r\nContent-Length: \(length)\r\n\r\n"
                )
                return try connection.readResponse()
            }
            try expectProblem(announce("/api/v1/me/import", 5_000_001), 413, "too large")
            let page = try announce("/me/import", 50_000_000_000)
            expectPage(page, 413, "at most 5 MB")
            #expect(page["content-security-policy"] != nil)
            // Elsewhere the usual limit holds, also for addresses that look similar.
            for path in ["/me", "/api/v1/me/import/", "/api/v1/me/import/rows", "/api/v1/me"] {
                #expect(try announce(path, 70_000).status == 413)
            }
            // In chunks, too.
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /me HTTP/1.1\r\nHost: fave.example\r\nTransfer-Encoding: chunked\r\n\r\n11171\r\n"
            )
            #expect(try connection.readResponse().status == 413)
        }
    }

    @Test("are one import at a time, and go on after the server is gone")
    func restart() async throws {
        let database = try TestDatabase()
        let first = try await TestServer.on(database)
        let rob = try await first.makeUser("rob")
        // What a server leaves behind that stops in the middle. On a slow machine, the import seems to be
        // left already when the request arrives.
        try await eventually {
            try first.execute(
                """
                DELETE FROM imports;
                INSERT INTO imports (user_id, file_name, row_count, done_count)
                SELECT id, 'games.csv', 1, 0 FROM users;
                INSERT INTO import_rows (import_id, place, line, name, named_platforms, platform_ids,
                                         score, comment, tags, shelf, dated)
                SELECT id, 1, 2, 'Portal', '', '{}', '', '', '', '', '' FROM imports
                """)
            let response = try Self.send(first, rob, "name\nPortal\n")
            guard response.status != 202 else { return false }
            try expectProblem(response, 409, "still running")
            return true
        }
        await first.stop()
        let second = try await TestServer.on(database)
        try second.execute("UPDATE imports SET worked_at = now() - interval '1 minute'")
        let done = try await Self.wait(second, rob)
        #expect(done.string("state") == "done" && done.int("suggestedCount") == 1)
        #expect(try Self.send(second, rob, "name\nPortal 2\n").status == 202)
        _ = try await Self.wait(second, rob)
        #expect(
            try Self.rows(second, rob).map { $0.object("game").string("name") } == ["Portal 2"])
        await second.stop()
    }

    // MARK: The page

    private static func upload(
        _ browser: Browser, _ csv: String, name: String = "games.csv", token: String? = nil,
        origin: String = Browser.origin
    ) throws -> RawResponse {
        let parts = [
            "--XX", "Content-Disposition: form-data; name=\"token\"", "",
            token ?? browser.ownToken, "--XX",
            "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"",
            "Content-Type: text/csv", "", csv, "--XX--", "",
        ]
        return try browser.send(
            "POST", "/me/import",
            fields: [
                ("Origin", origin),
                ("Sec-Fetch-Site", origin == Browser.origin ? "same-origin" : "cross-site"),
                ("Content-Type", "multipart/form-data; boundary=XX"),
            ], body: parts.joined(separator: "\r\n"))
    }

    @Test("are uploaded on a page, and picked into the editor with what was said of them")
    func page() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let token = try await server.token(of: "rob")
            expectPage(try rob.get("/me/import"), 200, "Choose a file")
            let sent = try Self.upload(
                rob,
                "name,platform,rating,review,tags\nPortal,PC,4,It's <b>cake</b>.,puzzle\n"
                    + "<script>,PC,5,,\nPortal 2,PC,5,,\nThe Last Guardian,,,,\n",
                name: "my \\\"games\\\".csv")
            #expect(sent.status == 303, "\(sent.text)")
            #expect(sent["location"] == "/me/import")
            _ = try await Self.wait(server, token)
            let page = try rob.get("/me/import")
            expectPage(page, 200, "Matched (3)")
            expectPage(page, 200, "my &quot;games&quot;.csv")
            expectPage(page, 200, "It&#39;s &lt;b&gt;cake&lt;/b&gt;.")
            #expect(page["cache-control"] == "no-store")
            #expect(page["refresh"] == nil)
            expectPage(try rob.get("/me/import?left=out"), 200, "No match")
            #expect(!(try rob.get("/me/import?left=out").text.contains("<script>,")))

            let editor = try rob.get("/me?row=3&row=2&row=4&row=77&row=x")
            let form = try HTMLForm(editor.text, marker: "data-editor")
            #expect(form.values("game") == ["72", "71", "117"])
            #expect(form.values("platform") == ["6", "6", "48"])
            #expect(form.values("comment") == ["", "It's <b>cake</b>.", ""])
            #expect(form.values("rating") == ["5", "4", ""])
            #expect(form.values("tags") == ["", "puzzle", ""])
            #expect(try server.count("entries") == 0)
            let saved = try rob.post("/me", inOrder: form.items + [("do", "save")])
            #expect(saved.status == 303, "\(saved.text)")
            #expect(try server.count("entries") == 3)
            expectPage(try rob.get("/me/import"), 200, "On your list")
            // Someone else's rows can't be had.
            let eve = try server.browser("eve")
            let empty = try HTMLForm(try eve.get("/me?row=2&row=3").text, marker: "data-editor")
            #expect(empty.values("game").isEmpty)
            try rob.get("/me/import")
            let deleted = try rob.post("/me/import/delete")
            #expect(deleted["location"] == "/me/import?deleted=yes")
            #expect(try server.count("imports") == 0)
        }
    }

    @Test("that are more than a list has room for say so")
    func room() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let names: [String] = try server.database.session().query(
                """
                SELECT array_agg(name) FROM (
                    SELECT min(name) AS name FROM games WHERE name ~ '^[A-Za-z ]+$'
                    GROUP BY whole_name(searched_name) HAVING count(*) = 1 LIMIT 7) g
                """)[0][0]
            _ = try rob.post(
                "/me/import",
                ["csv": "name\n" + names.joined(separator: "\n"), "token": rob.ownToken])
            _ = try await Self.wait(server, try await server.token(of: "rob"))
            let editor = try rob.get("/me?" + (1...7).map { "row=\($0)" }.joined(separator: "&"))
            expectPage(editor, 409, "Your list is full, so we didn’t add")
            #expect(
                try HTMLForm(editor.text, marker: "data-editor").values("game").count == 5)
        }
    }

    @Test("in a file with an error show the form again, and foreign forms do nothing")
    func rejected() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            try rob.get("/me/import")
            expectPage(try Self.upload(rob, "name\n\"x"), 422, "Line 2: the quotation mark")
            expectPage(try Self.upload(rob, ""), 422, "Choose a file")
            expectPage(try Self.upload(rob, "name\nx", token: "x"), 403, "has expired")
            expectPage(
                try Self.upload(rob, "name\nx", origin: "https://evil.example"), 403,
                "from another site")
            let cut = try rob.send(
                "POST", "/me/import",
                fields: [
                    ("Origin", Browser.origin),
                    ("Content-Type", "multipart/form-data; boundary=XX"),
                ], body: "--XX\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n")
            expectPage(cut, 415)
            let large = try Self.upload(rob, "name\n" + String(repeating: "x\n", count: 2_505_000))
            expectFault(large, at: "import-file", "at most 5 MB")
            expectFault(try Self.upload(rob, ""), at: "import-file", "Choose a file")
            let rows = "name\n<b>Portal</b>\n\"x"
            let pasted = try rob.post("/me/import", ["csv": rows])
            expectFault(pasted, at: "import-csv", "Line 3: the quotation mark")
            #expect(pasted.text.contains("<details open>"))
            peek(pasted, "pasted")
            #expect(
                pasted.text.contains(
                    "autofocus>\nname\n&lt;b&gt;Portal&lt;/b&gt;\n&quot;x</textarea>"))
            #expect(try rob.get("/me/import").text.contains("<details>"))
            try server.execute(
                """
                INSERT INTO imports (user_id, file_name, row_count, done_count, state, worked_at)
                SELECT id, 'old.csv', 9, 1, 'running', now() + interval '1 day' FROM users
                """)
            let early = try rob.post("/me/import", ["csv": "name\nPortal"])
            expectPage(early, 409, "still running")
            #expect(early["refresh"] == nil)
            peek(early, "early")
            #expect(early.text.contains("\nname\nPortal</textarea>"))
            try server.execute("DELETE FROM imports")
            #expect(try server.count("imports") == 0)
            #expect(try Browser(server).get("/me/import").status == 303)
        }
    }
}

@Suite("A list as CSV", .blocking)
struct ListFileTests {
    @Test("has no formula, and comes back as it was")
    func roundTrip() async throws {
        try await TestServer.run { server in
            let browser = try server.browser("rob")
            let rob = try await server.token(of: "rob")
            let comment = "=HYPERLINK(\"https://evil.example\", \"x\")\n, \"and\" '=so on"
            let list = """
                {"entries": [
                {"gameId": 71, "platformId": 6, "comment": \(try json(comment)), "rating": 2,
                 "tags": ["@puzzle", "short"]},
                {"gameId": 117, "platformId": 48, "comment": "'+1"}]}
                """
            let put = try server.send(
                "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")], json: list)
            #expect(put.status == 200, "\(put.text)")
            let file = try server.send("GET", "/api/v1/me/list.csv", token: rob)
            #expect(file["content-type"] == "text/csv; charset=utf-8")
            #expect(file["content-disposition"]?.contains("fave-games-rob.csv") == true)
            #expect(try browser.get("/settings/list.csv").text == file.text)
            #expect(
                file.bytes.starts(with: [0xEF, 0xBB, 0xBF]), "or Excel doesn't read it as UTF-8")
            #expect(file.text.contains(",\"'=HYPERLINK("))
            #expect(file.text.contains(",''+1,"))
            #expect(file.text.contains(",\"'@puzzle, short\","))

            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /api/v1/me/import HTTP/1.1\r\nHost: fave.example\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(rob)\r\nContent-Type: text/csv\r\n"
                    + "Content-Length: \(file.text.utf8.count)\r\n\r\n" + file.text)
            #expect(try connection.readResponse().status == 202)
            _ = try await ImportsTests.wait(server, rob)
            let rows = try server.send("GET", "/api/v1/me/import/rows", token: rob).object
                .objects("rows")
            #expect(rows.map { $0.object("game").int("id") } == [71, 117])
            #expect(rows.map { $0.object("platform").int("id") } == [6, 48])
            #expect(rows.map { $0.string("comment") } == [comment, "'+1"])
            #expect(rows.map { $0["tags"] as? [String] } == [["@puzzle", "short"], []])
            #expect(rows.map { $0.int("rating") } == [2, nil])
        }
    }

    private func json(_ text: String) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed),
            as: UTF8.self)
    }
}

@Suite("What pages show is in the API", .blocking)
struct CompletenessTests {
    @Test("a game's standings, what else its lovers love, recent lists, and pictures")
    func addresses() async throws {
        try await TestServer.run { server in
            for (name, games) in [("rob", [71, 72]), ("ada", [71, 72]), ("noa", [71, 117])] {
                let token = try await server.makeUser(name)
                let entries = games.map {
                    #"{"gameId": \#($0), "platformId": \#($0 == 117 ? 48 : 6)}"#
                }
                let put = try server.send(
                    "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                    json: "{\"entries\": [\(entries.joined(separator: ","))]}")
                #expect(put.status == 200, "\(put.text)")
            }
            func get(_ path: String) throws -> [String: Any] {
                let response = try server.send("GET", "/api/v1" + path)
                #expect(response.status == 200, "\(response.text)")
                return try response.object
            }
            let standings = try get("/games/71/standings").objects("standings")
            let standing = try #require(standings.first)
            #expect(standing.object("platform").int("id") == 6)
            #expect((standing.int("rank"), standing.int("includedBy")) == (1, 3))
            #expect(try server.send("GET", "/api/v1/games/2147483647/standings").status == 404)

            func related() throws -> [Int?] {
                try get("/games/71/related").objects("games").map { $0.object("game").int("id") }
            }
            #expect(try related() == [72])
            #expect(
                try server.send("GET", "/games/71").text
                    .contains("People who love this also love"))
            // Responses are cached until a list changes that they are made from.
            try server.execute("UPDATE users SET visibility = 'unlisted' WHERE username = 'ada'")
            #expect(try related() == [])
            #expect(
                try !server.send("GET", "/games/71").text
                    .contains("People who love this also love"))
            try server.execute("UPDATE users SET visibility = 'public' WHERE username = 'ada'")
            #expect(try related() == [72])
            let noa = try await server.token(of: "noa")
            let entries =
                #"{"entries": [{"gameId": 71, "platformId": 6}, {"gameId": 73, "platformId": 12}]}"#
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: noa, fields: [("If-Match", "*")], json: entries)
            let ada = try await server.token(of: "ada")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: ada, fields: [("If-Match", "*")], json: entries)
            #expect(try related() == [73])

            let lists = try get("/lists?limit=2").objects("lists")
            #expect(lists.map { $0.object("user").string("username") } == ["ada", "noa"])
            #expect(lists[0].objects("games").map { $0.int("id") } == [71, 73])

            for path in ["/users/rob/list/cards", "/platforms/win/ranking/cards"] {
                let cards = try get(path).objects("cards")
                #expect(
                    cards.map { "\($0.string("format") ?? "") \($0.string("theme") ?? "")" } == [
                        "wide light", "portrait light", "portrait dark", "story light",
                        "story dark", "poster light", "poster dark",
                    ])
                for card in cards {
                    let url = try #require(card.string("url"))
                    #expect(url.hasPrefix("https://fave.example/"))
                    let picture = try server.send(
                        "HEAD", String(url.dropFirst("https://fave.example".count)))
                    #expect(picture.status == 200)
                }
            }
            try server.execute("UPDATE users SET visibility = 'private' WHERE username = 'rob'")
            #expect(try server.send("GET", "/api/v1/users/rob/list/cards").status == 404)

            try server.execute(
                """
                INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
                VALUES (6, (now() AT TIME ZONE 'UTC')::date - 7, 71, 3),
                       (12, (now() AT TIME ZONE 'UTC')::date - 7, 120, 1)
                """)
            func movement(_ platform: String) throws -> [String: Any] {
                let games = try get("/platforms/\(platform)/ranking").objects("games")
                return try #require(games.first).object("movement")
            }
            #expect(try movement("win").string("kind") == "up")
            #expect(try movement("win").int("places") == 2)
            #expect(try movement("xbox360").string("kind") == "new")
        }
    }
}
