import Foundation
import TestSupport
import Testing

/// The editing page as it works without a script: every button sends the form.
@Suite("The page that edits one's list", .blocking)
struct ListEditorTests {
    /// Portal (71) on PC, The Last Guardian-like games of the starter catalogue, all on PC or PS4.
    private static let games = [71, 72, 120, 117, 73]

    /// Someone at the editing page.
    private final class Editor {
        let browser: Browser
        let server: TestServer
        var form: HTMLForm
        var page: RawResponse

        init(_ server: TestServer, _ browser: Browser, _ target: String = "/me") throws {
            self.server = server
            self.browser = browser
            page = try browser.get(target)
            form = try HTMLForm(page.text, marker: "data-editor")
        }

        @discardableResult
        func press(_ action: String) throws -> RawResponse {
            page = try browser.post("/me", inOrder: form.items + [("do", action)])
            if page.status != 303 { form = try HTMLForm(page.text, marker: "data-editor") }
            return page
        }

        var keys: [String] { form.values("entry") }
        var games: [String] { form.values("game") }

        func expectGames(_ games: [Int], _ comment: Comment? = nil) {
            let removed = form.values("removed")
            let remaining = zip(self.games, removed).filter { $1 != "1" }.map(\.0)
            #expect(remaining == games.map(String.init), comment)
        }

        func fillPlatforms() throws {
            for (index, value) in form.values("platform").enumerated() where value.isEmpty {
                let options = page.text.matches(
                    of:
                        /<select id="platform-([^"]*)"[^>]*>\s*<option value="">[^<]*<\/option>\s*<option value="(\d+)"/
                )
                let option = try #require(options.first { $0.1 == keys[index] })
                try form.set("platform", index, String(option.2))
            }
        }

        func save() throws {
            try fillPlatforms()
            try press("save")
            #expect(page.status == 303, "\(page.text)")
            #expect(page["location"] == "/@rob/share?saved")
        }
    }

    private func withEditor(
        _ games: Int, _ body: (TestServer, Editor) throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            let editor = try Editor(server, rob)
            for game in Self.games.prefix(games) { try editor.press("add:\(game)") }
            if games > 0 { try editor.save() }
            try body(server, try Editor(server, rob))
        }
    }

    /// The games of the stored list, in order.
    private func stored(_ server: TestServer) throws -> [Int] {
        let list = try server.send("GET", "/api/v1/users/rob/list").object
        let entries = list["entries"] as? [[String: Any]] ?? []
        return entries.compactMap { ($0["game"] as? [String: Any])?["id"] as? Int }
    }

    @Test("keeps many changes as one, and nothing before it is saved")
    func manyChanges() async throws {
        try await withEditor(3) { server, editor in
            editor.expectGames([71, 72, 120])
            let keys = editor.keys
            try editor.press("down:\(keys[0])")
            editor.expectGames([72, 71, 120])
            try editor.press("up:\(keys[2])")
            editor.expectGames([72, 120, 71])
            try editor.press("up:\(keys[1])")
            editor.expectGames([72, 120, 71], "the first stays the first")
            try editor.form.set("comment", 2, "The <cake>\r\nis \"a\" lie & that's it.")
            try editor.form.set("rating", 2, "5")
            try editor.form.set("tags", 2, "Puzzle, #Short")
            try editor.press("remove:\(keys[1])")
            editor.expectGames([120, 71])
            try editor.press("add:117")
            editor.expectGames([120, 71, 117])
            #expect(try stored(server) == [71, 72, 120])
            try editor.save()
            #expect(try stored(server) == [120, 71, 117])
            let page = try editor.browser.get("/@rob").text
            #expect(page.contains("The &lt;cake&gt;\nis &quot;a&quot; lie"))
            #expect(!page.contains("★"), "the user does not show ratings")
            #expect(page.contains("/entries?tag=puzzle") && page.contains(">short</a>"))
            let saved = try editor.browser.get("/@rob/share?saved").text
            #expect(saved.contains("<h1>Saved."))
        }
    }

    @Test("gives back what was removed, at its place, with what was typed")
    func undo() async throws {
        try await withEditor(3) { server, editor in
            try editor.form.set("comment", 1, "typed before")
            try editor.press("remove:\(editor.keys[1])")
            editor.expectGames([71, 120])
            #expect(editor.page.text.contains(#"value="restore:\#(editor.keys[1])""#))
            try editor.press("restore:\(editor.keys[1])")
            editor.expectGames([71, 72, 120])
            #expect(editor.form.values("comment")[1] == "typed before")
            #expect(try stored(server) == [71, 72, 120])
        }
    }

    @Test("finds games by its button and by the Enter key, and keeps what was typed")
    func find() async throws {
        try await withEditor(1) { server, editor in
            try editor.form.set("comment", 0, "typed")
            for action in ["find", "enter"] {
                try editor.form.set("search", 0, "ico")
                try editor.press(action)
                #expect(editor.page.text.contains("value=\"add:"), "\(action)")
                #expect(editor.form.values("search") == ["ico"])
                #expect(editor.form.values("comment") == ["typed"])
            }
            try editor.form.set("search", 0, "qqqqqqqqqqqq")
            try editor.press("find")
            #expect(editor.page.text.contains("Nothing found"))
            try editor.form.set("search", 0, " ")
            #expect(try editor.press("find").status == 400)
            #expect(editor.page.text.contains("Type a game’s name"))
            // With an empty box the Enter key saves.
            try editor.form.set("search", 0, "")
            #expect(try editor.press("enter").status == 303)
            #expect(try server.send("GET", "/api/v1/users/rob/list").text.contains("typed"))
        }
    }

    @Test("refuses a sixth game kindly, and offers to swap one out")
    func sixth() async throws {
        try await withEditor(5) { server, editor in
            try editor.form.set("comment", 4, "typed")
            try editor.press("add:74")
            #expect(editor.page.status == 200)
            #expect(editor.page.text.contains("Which one makes way for"))
            editor.expectGames(Self.games)
            let keys = editor.keys
            #expect(editor.page.text.contains(#"value="swap:\#(keys[1]):74""#))
            try editor.press("swap:\(keys[1]):74")
            editor.expectGames([71, 74, 120, 117, 73])
            #expect(editor.form.values("comment").last == "typed")
            try editor.press("restore:\(keys[1])")
            #expect(editor.page.status == 409)
            #expect(editor.page.text.contains("at most 5"))
            editor.expectGames([71, 74, 120, 117, 73])
            try editor.save()
            #expect(try stored(server) == [71, 74, 120, 117, 73])
            // From the page of a game there is a way here.
            let page = try editor.browser.get("/games/72").text
            #expect(page.contains(#"href="/me?add=72" rel="nofollow">Swap it in"#))
            let offer = try Editor(server, editor.browser, "/me?add=72")
            #expect(offer.page.text.contains("Which one makes way for"))
        }
    }

    @Test("does not put one tab's list over another's unseen")
    func twoTabs() async throws {
        try await withEditor(3) { server, first in
            let second = try Editor(server, first.browser)
            let keys = second.keys
            try second.form.set("comment", 0, "from the second tab")
            try second.press("remove:\(keys[1])")
            try second.press("add:117")
            try second.press("up:\(second.keys[3])")
            try second.save()
            #expect(try stored(server) == [71, 117, 120])

            try first.form.set("comment", 2, "from the first tab")
            try first.press("save")
            #expect(first.page.status == 409)
            for text in [
                "changed elsewhere", "was removed", "was added as number 2",
                "Your reason for “Portal”",
            ] { #expect(first.page.text.contains(text), "\(text)") }
            #expect(first.form.values("comment")[2] == "from the first tab")
            #expect(try stored(server) == [71, 117, 120])
            // Whoever saves again has read that.
            try first.save()
            #expect(try stored(server) == [71, 72, 120])
            #expect(
                try server.send("GET", "/api/v1/users/rob/list").text.contains("from the first tab")
            )
        }
    }

    @Test("loses nothing that was typed when the session has ended")
    func expired() async throws {
        try await withEditor(2) { server, editor in
            try editor.form.set("comment", 1, "Typed for an hour")
            try editor.press("add:117")
            try editor.fillPlatforms()
            let session = editor.browser.cookies
            editor.browser.cookies = [:]
            try editor.press("save")
            #expect(editor.page.status == 403)
            #expect(editor.page.text.contains("been signed out"))
            #expect(editor.page.text.contains(#"href="/sign-in?return=%2Fme" target="_blank""#))
            editor.expectGames([71, 72, 117])
            #expect(editor.form.values("comment")[1] == "Typed for an hour")
            editor.browser.cookies = session
            try editor.press("save")
            #expect(editor.page.status == 403)
            #expect(editor.page.text.contains("Not saved yet"))
            #expect(editor.form.values("comment")[1] == "Typed for an hour")
            try editor.save()
            #expect(try stored(server) == [71, 72, 117])
        }
    }

    @Test("shows at each field what is wrong with it, all at once, and keeps what was typed")
    func faults() async throws {
        try await withEditor(2) { server, editor in
            let long = String(repeating: "x", count: 1001)
            try editor.form.set("comment", 0, long)
            try editor.form.set("tags", 0, "a, b, c, d, e, f")
            try editor.form.set("platform", 1, "")
            try editor.form.set("rating", 1, "9")
            try editor.form.set("tags", 1, "-, \"<b>\"")
            try editor.press("save")
            #expect(editor.page.status == 422)
            for text in [
                "Keep it to 1000 characters: this is 1 over", "Use up to 5 tags",
                "Choose where you played it",
                "Choose a rating", "be a tag",
            ] { #expect(editor.page.text.contains(text), "\(text)") }
            // Above the list, there is a link to each.
            #expect(editor.page.text.contains("Not saved yet. 5 things to fix:"))
            for (field, place) in [
                ("comment", 0), ("tags", 0), ("platform", 1), ("rating", 1), ("tags", 1),
            ] {
                #expect(editor.page.text.contains("href=\"#\(field)-\(editor.keys[place])\""))
            }
            #expect(editor.page.text.contains(">2. Portal 2: Choose where you played it.</a>"))
            #expect(editor.form.values("comment")[0] == long)
            #expect(editor.form.values("tags")[1] == "-, \"<b>\"")
            #expect(try stored(server) == [71, 72])

            try editor.form.set("comment", 0, "")
            try editor.form.set("tags", 0, "")
            try editor.form.set("tags", 1, "")
            try editor.form.set("rating", 1, "")
            try editor.form.set("platform", 1, "130")
            try editor.press("add:71")
            try editor.form.set("platform", 2, try #require(editor.form.values("platform").first))
            try editor.press("save")
            #expect(editor.page.status == 422)
            #expect(editor.page.text.contains("already on your list for this platform"))
        }
    }

    @Test("takes no platform that the game is not on")
    func wrongPlatform() async throws {
        try await withEditor(1) { server, editor in
            try editor.form.set("platform", 0, "33")
            try editor.press("save")
            #expect(editor.page.status == 422)
            #expect(editor.page.text.contains("is not on platform"))
        }
    }

    @Test("keeps what was typed about a game that cannot be found")
    func unknownGame() async throws {
        try await withEditor(1) { server, editor in
            editor.form.items += [
                ("entry", "new-9"), ("game", "2000000001"), ("platform", "6"),
                ("comment", "Typed for an hour"), ("rating", ""), ("tags", ""), ("removed", ""),
            ]
            try editor.press("save")
            #expect(editor.page.status == 422)
            #expect(editor.page.text.contains("Game 2000000001"))
            #expect(editor.form.values("comment").last == "Typed for an hour")
            #expect(editor.form.values("platform").last == "6")
            editor.expectGames([71, 2_000_000_001])
        }
    }

    @Test("begins with the platform that was chosen last, if the game is on it")
    func platforms() async throws {
        try await withEditor(1) { server, editor in
            try editor.form.set("platform", 0, "6")
            try editor.press("add:72")
            try editor.form.set("platform", 1, "9")
            try editor.press("add:120")
            #expect(editor.form.values("platform") == ["6", "9", "9"])
            // Not on the PlayStation 3.
            try editor.press("add:117")
            #expect(editor.form.values("platform").last != "9")
        }
    }

    @Test("forgets what was removed first when there is too much of it")
    func manyRemoved() async throws {
        try await withEditor(1) { server, editor in
            for number in 1...12 {
                editor.form.items += [
                    ("entry", "new-\(number)"), ("game", "72"), ("removed", "1"),
                ]
            }
            try editor.press("down:\(editor.keys[0])")
            #expect(editor.page.status == 200)
            #expect(editor.keys.count == 10)
            editor.expectGames([71])
        }
    }

    @Test("is for its owner alone, and for forms of ours")
    func strangers() async throws {
        try await withEditor(1) { server, editor in
            let token = try #require(editor.form.values("token").first)
            for items in [
                [("entry", "x y"), ("game", "71")], [("entry", "new-1")],
                [("entry", "new-1"), ("game", "0")],
                [("entry", "a"), ("game", "71"), ("game", "72")],
                [("entry", "a"), ("game", "71"), ("entry", "a"), ("game", "71")],
                (0..<16).flatMap { [("entry", "new-\($0)"), ("game", "71")] },
                [("do", "format")], [("do", "add:x")], [("do", "swap:a:b:c")], [("do", "up")],
            ] {
                let response = try editor.browser.post(
                    "/me", inOrder: [("token", token)] + items)
                #expect(response.status == 400, "\(items)")
            }
            // An entry that is not of this list is a new one.
            let eve = Browser(server)
            try eve.signUp("eve")
            let other = try Editor(server, eve)
            other.form.items += [
                ("entry", editor.keys[0]), ("game", "71"), ("platform", "6"),
                ("comment", "mine now"),
            ]
            try other.press("save")
            #expect(other.page.status == 303)
            #expect(try !server.send("GET", "/api/v1/users/rob/list").text.contains("mine now"))
            #expect(try stored(server) == [71])
        }
    }
}
