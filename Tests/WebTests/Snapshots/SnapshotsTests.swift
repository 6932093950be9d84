import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Snapshots of lists", .blocking)
struct SnapshotsTests {
    init() async throws { try await waitOutYearsEnd() }

    private static func take(_ rob: Person, _ title: String? = nil) throws -> RawResponse {
        try rob.send("POST", "/me/snapshots", title.map { "{\"title\": \"\($0)\"}" } ?? "{}")
    }

    /// The end of the address of a snapshot that was just taken.
    private static func slug(_ response: RawResponse) throws -> String {
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.object.string("slug"))
    }

    // MARK: The API

    @Test("are taken, read and deleted by the API, as it describes it")
    func api() async throws {
        let contract = try APIContract()
        try await Person.with { rob in
            func check(
                _ id: String, _ method: String, _ path: String, _ json: String? = nil,
                status: Int = 200
            ) throws -> [String: Any] {
                let response = try rob.send(method, path, json)
                #expect(response.status == status, "\(response.text)")
                #expect(try contract.faults(of: response, id) == [])
                return (try? response.object) ?? [:]
            }
            _ = try rob.put(
                """
                {"entries": [{"gameId": 71, "platformId": 6, "comment": "The cake.", "rating": 5,
                "tags": ["puzzle"]}, {"gameId": 120, "platformId": 48}]}
                """)
            let made = try Self.take(rob, "  Mine,  then ")
            let first = try Self.slug(made)
            #expect(made["location"] == "/api/v1/me/snapshots/\(first)")
            #expect(try made.object.string("title") == "Mine, then")
            let entry = try #require(try made.object.objects("entries").first)
            #expect(entry.string("comment") == "The cake." && entry.int("rating") == 5)
            #expect(entry["tags"] as? [String] == ["puzzle"])
            #expect(entry["previousPosition"] is NSNull)

            try rob.put([(117, 48), (71, 6)])
            let second = try Self.slug(Self.take(rob))
            let year = String(first.prefix(4))
            #expect(first == "\(year)-1" && second == "\(year)-2")
            let list = try check("getSnapshot", "GET", "/users/rob/snapshots/\(second)")
            #expect(list.string("title") == "My five, \(year)")
            #expect(list.object("previous").string("slug") == first)
            #expect(
                list.objects("entries").map { $0["previousPosition"] as? Int } == [nil, 1])
            #expect(list.objects("gone").map { $0.object("game").int("id") } == [120])
            for (id, path) in [
                ("listSnapshots", "/users/rob/snapshots"), ("listMySnapshots", "/me/snapshots"),
            ] {
                let all = try check(id, "GET", path).objects("snapshots")
                #expect(all.map { $0.string("slug") } == [second, first])
            }
            _ = try check("getMySnapshot", "GET", "/me/snapshots/\(first)")
            _ = try check("exportMe", "GET", "/me/export")
            for _ in 0..<2 {
                _ = try check(
                    "deleteSnapshot", "DELETE", "/me/snapshots/\(first)", status: 204)
            }
            _ = try check("getMySnapshot", "GET", "/me/snapshots/\(first)", status: 404)
            _ = try check("getSnapshot", "GET", "/users/rob/snapshots/\(first)", status: 404)
            let left = try check("getMySnapshot", "GET", "/me/snapshots/\(second)")
            #expect(left["previous"] is NSNull)
        }
    }

    @Test("are taken once, however often the request is sent")
    func idempotency() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            func send(_ json: String) throws -> RawResponse {
                try rob.send(
                    "POST", "/me/snapshots", json,
                    fields: [("Idempotency-Key", "8e03978e-40d5-43e8-bc93-6894a57f9324")])
            }
            let first = try send("{}")
            try rob.put([(120, 48)])
            let again = try send("{}")
            #expect(again.status == 201 && again.bytes == first.bytes)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again["location"] == first["location"])
            #expect(try rob.server.count("snapshots") == 1)
            try expectProblem(try send(#"{"title": "Other"}"#), 422, "another request")
        }
    }

    @Test(
        "are refused when there is nothing on the list, or when there are too many, or the title isn't right"
    )
    func refusals() async throws {
        try await TestServer.run(settings: ["REFUSED_WORDS": "vile"]) { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            try expectProblem(try Self.take(rob), 409, "the list is empty")
            try rob.put([(71, 6)])
            try expectProblem(try Self.take(rob, "So VILE"), 422, "“vile” isn’t allowed")
            for title in ["\"\"", "\" \"", "7", "null", "\"\(String(repeating: "x", count: 61))\""]
            {
                let response = try rob.send("POST", "/me/snapshots", "{\"title\": \(title)}")
                #expect(memberErrors(try expectProblem(response, 422)).count == 1)
            }
            try server.execute(
                "SELECT take_snapshot(id, 'One', NULL) FROM users, generate_series(1, 40)")
            try expectProblem(try Self.take(rob), 409, "at most 40")
            #expect(try server.send("POST", "/api/v1/me/snapshots", json: "{}").status == 401)
            for slug in ["embed", "2026-0", "x", "20260", "2026%20"] {
                for path in ["/me/snapshots/", "/users/rob/snapshots/"] {
                    try expectProblem(
                        try rob.send("GET", path + slug), 404, "There is no such snapshot.")
                }
            }
        }
    }

    @Test("are taken every year, if that is what someone wants")
    func setting() async throws {
        try await Person.with { rob in
            func isOn() throws -> Bool? {
                try rob.send("GET", "/me").object["takesYearlySnapshots"] as? Bool
            }
            #expect(try isOn() == false)
            for (json, isOn) in [
                (#"{"takesYearlySnapshots": true}"#, true), (#"{"bio": "x"}"#, true),
                (#"{"takesYearlySnapshots": false}"#, false),
            ] {
                let changed = try rob.send("PATCH", "/me", json)
                #expect(try changed.object["takesYearlySnapshots"] as? Bool == isOn)
            }
            #expect(try isOn() == false)
            #expect(!(try rob.send("GET", "/users/rob").text.contains("takesYearlySnapshots")))
        }
    }

    // MARK: Privacy

    @Test("are never more visible than the list is now")
    func privacy() async throws {
        try await TestServer.run { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            let owner = try server.browser(signedInAs: "rob")
            try rob.put([(71, 6)])
            let slug = try Self.slug(Self.take(rob, "Mine, then"))
            let page = "/@rob/\(slug)"
            let list = "/api/v1/users/rob/snapshots"
            let card = try #require(
                server.send("GET", page).text.firstMatch(of: /https:\/\/fave.example(\S+\.png)/)
            ).1
            let all = [page, "\(page)/share", String(card), list, "\(list)/\(slug)"]

            func statuses() throws -> Set<Int> {
                Set(try all.map { try server.send("GET", $0).status })
            }
            func mentions(_ path: String) throws -> Bool {
                let text = try server.send("GET", path).text
                return text.contains("Mine, then") || text.contains(page)
            }
            #expect(try statuses() == [200])
            #expect(try mentions("/@rob"))
            let shown = try server.send("GET", page)
            #expect(!shown.text.contains("noindex"))
            #expect(
                shown.text.contains("<link rel=\"canonical\" href=\"https://fave.example\(page)\">")
            )
            #expect(shown.text.contains("application/ld+json"))
            #expect(try server.send("GET", list)["x-robots-tag"] == nil)
            // It is shown nowhere else.
            for path in [
                "/", "/users?search=rob", "/entries?search=mine", "/games/71", "/@rob/feed",
                "/@rob/embed", "/sitemap.xml", "/sitemap.xml?part=lists-0", "/api/v1/entries",
            ] { #expect(try !mentions(path), "\(path)") }

            func change(_ sql: String) throws { try server.execute("UPDATE users SET \(sql)") }
            for unlisted in ["visibility = 'unlisted'", "new_until = now() + interval '1 day'"] {
                try change(unlisted)
                #expect(try statuses() == [200])
                let page = try server.send("GET", page)
                #expect(page.text.contains("<meta name=\"robots\" content=\"noindex\">"))
                #expect(!page.text.contains("application/ld+json"))
                for path in [String(card), list, "\(list)/\(slug)"] {
                    #expect(try server.send("GET", path)["x-robots-tag"] == "noindex")
                }
                try change("visibility = 'public', new_until = NULL")
            }

            try change("visibility = 'private'")
            #expect(try statuses() == [404])
            #expect(try owner.get(page).status == 200)
            #expect(try owner.get("\(page)/share").status == 303)
            #expect(try rob.send("GET", "/me/snapshots/\(slug)").status == 200)
            #expect(try owner.get(String(card)).status == 404)
            try change("visibility = 'public', disabled_at = now()")
            #expect(try statuses() == [404])
            #expect(try rob.send("GET", "/me/snapshots/\(slug)").status == 401)
            try change("disabled_at = NULL")
            #expect(try statuses() == [200])

            try change("username = 'robert'")
            for path in all {
                let moved = try server.send("GET", path)
                #expect([301, 307].contains(moved.status), "\(path): \(moved.status)")
                #expect(
                    moved["location"]?.replacing("robert", with: "rob").hasSuffix(path) == true,
                    "\(moved["location"] ?? "")")
            }
            #expect(try server.send("GET", "/@Robert/\(slug)").status == 301)
            _ = try rob.send("DELETE", "/me?username=robert")
            #expect(try server.count("snapshots") == 0 && server.count("snapshot_entries") == 0)
            #expect(try server.send("GET", page).status == 404)
        }
    }

    @Test("lose a hidden comment at once, wherever it was seen")
    func hidden() async throws {
        try await Person.with { rob in
            let server = rob.server
            _ = try rob.put(#"{"entries": [{"gameId": 71, "platformId": 6, "comment": "Vile!"}]}"#)
            let slug = try Self.slug(Self.take(rob))
            let paths = ["/@rob/\(slug)", "/api/v1/users/rob/snapshots/\(slug)"]
            for path in paths { #expect(try server.send("GET", path).text.contains("Vile!")) }
            let ann = try await server.makeUser("ann")
            try server.execute(
                """
                UPDATE users SET role = 'moderator' WHERE username = 'ann';
                INSERT INTO cases (kind, user_id, entry_id)
                SELECT 'entry', user_id, id FROM entries
                """)
            let decided = try server.send(
                "POST", "/api/v1/moderation/cases/1/decision", token: ann,
                json: #"{"decision": "hide_comment", "reason": "No."}"#)
            #expect(decided.status == 204)
            for path in paths { #expect(try !server.send("GET", path).text.contains("Vile!")) }
            #expect(try !rob.send("GET", "/me/snapshots/\(slug)").text.contains("Vile!"))
            _ = try server.send("POST", "/api/v1/moderation/actions/1/undo", token: ann)
            for path in paths { #expect(try server.send("GET", path).text.contains("Vile!")) }
        }
    }

    // MARK: Pages

    @Test("are taken, seen and deleted with a browser")
    func pages() async throws {
        try await TestServer.run(settings: ["REFUSED_WORDS": "vile"]) { server in
            let rob = try server.browser("robin")
            expectPage(try rob.get("/settings/snapshots"), 200, "nothing to take a snapshot of yet")
            let person = Person(server: server, token: try await server.token(of: "robin"))
            try person.put([(71, 6), (120, 48)])
            let form = try rob.get("/settings/snapshots")
            #expect(form["cache-control"] == "no-store")
            let suggested = form.text.firstMatch(of: /name="title" value="My five, (\d{4})"/)
            let year = String(try #require(suggested).1)

            for (title, fault) in [("", "1 to 60"), ("<vile>", "“vile” isn’t allowed")] {
                let refused = try rob.post("/settings/snapshots", ["title": title])
                expectFault(refused, at: "snapshot-title", fault)
            }
            #expect(try server.count("snapshots") == 0)
            let snapshot = try rob.post("/settings/snapshots", ["title": "<b>Mine</b> & yours"])
            #expect(snapshot["location"] == "/@robin/\(year)-1?saved")
            let page = try rob.get("/@robin/\(year)-1?saved")
            expectPage(page, 200, "Snapshot saved.")
            expectPage(page, 200, "&lt;b&gt;Mine&lt;/b&gt; &amp; yours")
            #expect(!page.text.contains("<b>Mine"))
            #expect(
                try !server.send("GET", "/@robin/\(year)-1?saved").text.contains("Snapshot saved."))

            try person.put([(117, 48), (71, 6)])
            _ = try rob.post("/settings/snapshots", ["title": "Later"])
            let later = try server.send("GET", "/@robin/\(year)-2").text
            for change in [
                "<b>One new game:</b> <bdi>The Last Guardian", "<b>Gone:</b> <bdi>Diablo III",
                "href=\"/@robin/\(year)-1\"", "href=\"/@robin\"",
            ] { #expect(later.contains(change), "\(change)") }
            let list = try server.send("GET", "/@robin").text
            #expect(list.contains("href=\"/@robin/\(year)-2\""))
            #expect(list.contains("href=\"/@robin/\(year)-1\""))

            expectPage(try rob.get("/settings/snapshots"), 200, "fave.example/@robin/\(year)-2")
            #expect(
                try rob.post("/settings/snapshots/\(year)-1/delete")["location"]
                    == "/settings/snapshots?done=deleted")
            #expect(try server.send("GET", "/@robin/\(year)-1").status == 404)
            #expect(try !server.send("GET", "/@robin").text.contains("/@robin/\(year)-1\""))
            expectPage(try rob.post("/settings/snapshots/embed/delete"), 404)

            #expect(
                try rob.post("/settings/snapshots/yearly", ["takesYearlySnapshots": "yes"])[
                    "location"]
                    == "/settings/snapshots?done=on")
            let settings = try rob.get("/settings/snapshots?done=on")
            expectPage(settings, 200, "A snapshot of your list will be taken every year")
            #expect(settings.control("yearly").contains("checked"))
            _ = try rob.post("/settings/snapshots/yearly", ["takesYearlySnapshots": "no"])
            #expect(try !rob.get("/settings/snapshots").control("yearly").contains("checked"))
            _ = try person.put([])
            let empty = try rob.post("/settings/snapshots", ["title": "None"])
            expectPage(empty, 409, "the list is empty")
        }
    }

    @Test(
        "of a year tell what has changed since the year before, and are offered while they are news"
    )
    func years() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("robin")
            let person = Person(server: server, token: try await server.token(of: "robin"))
            func end(_ year: Int) throws {
                try server.execute(
                    "SELECT take_snapshot(id, 'My five, \(year)', \(year)::smallint) FROM users")
            }
            try person.put([(71, 6), (120, 48)])
            try end(2003)
            try person.put([(117, 48)])
            _ = try Self.slug(Self.take(person, "Between"))
            try person.put([(120, 48), (117, 48)])
            try end(2005)
            try end(2006)

            let page = try server.send("GET", "/@robin/2005").text
            for part in [
                "<bdi>robin</bdi>’s five of 2005", "<title>robin’s five of 2005",
                "Since <a href=\"/@robin/2003\"><bdi>2003</bdi></a>",
                "<b>One new game:</b> <bdi>The Last Guardian",
                "<bdi>Diablo III</bdi> moved up to number 1.", "<b>Gone:</b> <bdi>Portal",
                "src=\"/@robin/2005/card-", "href=\"/@robin/2003\" rel=\"prev\">2003",
                "href=\"/@robin/2006\" rel=\"next\">2006", "<bdi>Between</bdi>",
            ] { #expect(page.contains(part), "\(part)") }
            #expect(!page.contains("Share your five"))
            expectPage(try server.send("GET", "/@robin/2006"), 200, "Nothing has changed.")
            let first = try server.send("GET", "/@robin/2003").text
            #expect(!first.contains("Since <a") && !first.contains("rel=\"prev\""))

            expectPage(try rob.get("/@robin/2005"), 200, "Share your five of 2005")
            let own = try rob.get("/settings/snapshots").text
            #expect(own.contains("Your five of 2006 are ready"))
            #expect(own.contains("href=\"/@robin/2006/share\""))
            let found = try person.send("GET", "/me/snapshots").object.objects("snapshots")
            #expect(found.map { $0["year"] as? Int } == [2006, 2005, nil, 2003])
            try server.execute("UPDATE users SET visibility = 'private'")
            #expect(try !rob.get("/settings/snapshots").text.contains("/share\""))
            #expect(try !rob.get("/@robin/2005").text.contains("card-"))
            // Snapshots never change, so only a test can make them old.
            try server.execute(
                """
                SET session_replication_role = replica;
                UPDATE snapshots SET taken_at = taken_at - interval '31 days';
                RESET session_replication_role
                """)
            #expect(try !rob.get("/settings/snapshots").text.contains("are ready"))
        }
    }

    @Test("have a card of their own, which shows what they are called")
    func cards() async throws {
        try await Person.with { rob in
            let server = rob.server
            try rob.put([(71, 6)])
            let slug = try Self.slug(Self.take(rob, String(repeating: "Long ", count: 12)))
            let html = try server.send("GET", "/@rob/\(slug)").text
            let address = try #require(
                html.firstMatch(of: /property="og:image" content="https:\/\/fave.example([^"]+)"/)
            ).1
            #expect(address.hasPrefix("/@rob/\(slug)/card-"))
            let card = try server.send("GET", String(address))
            #expect(card.status == 200 && card["content-type"] == "image/png")
            let other = try server.send("GET", "/@rob/\(slug)/card-0.png")
            #expect(other.status == 307 && other["location"] == String(address))
            let list = try server.send("GET", "/@rob").text
            #expect(!list.contains(address.split(separator: "/").last ?? ""))
            let share = try server.send("GET", "/@rob/\(slug)/share").text
            for format in ["portrait", "story", "story-dark", "poster"] {
                let path = try #require(share.firstMatch(of: /href="(\/@rob\/\d[^"]+)"/)?.1)
                #expect(share.contains("/@rob/\(slug)/card-\(format)-"), "\(path)")
            }
            #expect(try server.send("GET", "/@rob/\(slug)/card-story-0.jpg").status == 307)
        }
    }
}
