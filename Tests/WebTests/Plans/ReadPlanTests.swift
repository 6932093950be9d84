import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

/// What PostgreSQL does for every request, on a site with thousands of everything. A statement that
/// reads a whole table, or more rows the more there are, would get slower with every person who joins.
///
/// The requests are those of the API's contract, and those that `script/bench` measures. Other tests
/// make sure that there is one for each route.
@Suite("The plan of a statement", .blocking)
struct ReadPlanTests {
    @Test("reads a bounded number of rows, and no whole table that grows", .thorough)
    func bounded() async throws {
        let site = try await LargeSite()
        let tables = try site.tables()
        #expect(tables.small == ReadPlan.smallTables)
        try await Crawl(site).run()

        let executions = try site.executions()
        var reported: Set<String> = []
        for execution in executions {
            let exception = ReadPlan.exceptions.first { execution.label.hasPrefix($0.name) }
            let rows = execution.rows(of: tables.large)
            let whole = execution.wholeTables.intersection(tables.large)
            if !whole.isEmpty || rows > exception?.rows ?? ReadPlan.rows,
                reported.insert(execution.label).inserted
            {
                Issue.record(
                    """
                    \(execution.label) reads \(rows) rows, and all of \(whole.sorted()):
                    \(execution.sql)
                    \(execution.plan.joined(separator: "\n"))
                    """)
            }
        }

        let run = Set(executions.map(\.label))
        let missing = try Self.declaredReads().filter { name in
            !run.contains { $0 == name || $0.hasPrefix(name + "_") }
        }
        let expected = ReadPlan.notRun.flatMap(\.names)
        #expect(missing.subtracting(expected).sorted() == [], "run by no request")
        #expect(Set(expected).subtracting(missing).sorted() == [], "listed, but run, or not there")
    }

    /// The names of the reads that `Storage`, what is below it and `StorageWrites` declare.
    private static func declaredReads() throws -> Set<String> {
        var names: Set<String> = []
        for file in try sources(of: ["Freshness", "Storage", "StorageWrites"]) {
            let source = try String(contentsOfFile: file, encoding: .utf8)
            // Either with its effect, or by a function that adds it. What a name ends with may be
            // computed.
            for match in source.matches(of: /"([a-z][a-z_0-9]+)"[^,\n{]*,\s*\.(?:read|longRead)\b/)
            {
                names.insert(String(match.1))
            }
            for match in source.matches(
                of:
                    /static let \w+ = (?!Self|Query|GroupedQuery|Statement|RankOrder)\w+\(\s*"([a-z][a-z_0-9]+)"/
            ) {
                names.insert(String(match.1))
            }
        }
        return names
    }

    /// The paths of the sources of these targets.
    private static func sources(of targets: [String]) throws -> [String] {
        try targets.flatMap { target in
            let folder = "\(TestDatabase.repository)/Sources/\(target)"
            return try FileManager.default.subpathsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
        }
    }
}

/// Sends every request.
private struct Crawl {
    let site: LargeSite
    private let server: TestServer

    init(_ site: LargeSite) {
        self.site = site
        server = site.contract.server
    }

    func run() async throws {
        let document = try APIContract().document
        for one in ContractCase.successes {
            let request = try await one.request(site.contract)
            let server = one.isElsewhere ? site.contract.other : site.contract.server
            let response = try server.send(
                document.operation(one.id).method, request.target, token: request.token,
                fields: request.fields,
                json: request.body, type: request.type)
            #expect(response.status == one.status, "\(one.id): \(response.text)")
        }
        let owner: String = try site.session.query(
            """
            SELECT min(u.username) FROM users u JOIN circle_members m ON m.user_id = u.id
            WHERE m.owned = 1 AND u.username LIKE 'user-%'
            """)[0][0]
        try server.execute("UPDATE users SET role = 'admin' WHERE username = '\(owner)'")
        let token = try await server.token(of: owner)
        try usePersonalToken(of: try await site.contract.person().token)
        let browser = try server.browser(signedInAs: owner)
        let guest = Browser(server)
        for target in try targets(of: owner, token) {
            let isAPI = target.hasPrefix("/api")
            let senders: [(String) throws -> RawResponse] =
                isAPI
                ? [{ try server.send("GET", $0) }, { try server.send("GET", $0, token: token) }]
                : [{ try guest.get($0) }, { try browser.get($0) }]
            for send in senders {
                let response = try send(target)
                #expect(response.status < 500, "\(target): \(response.text)")
                // The next page, and the one before that.
                guard let next = cursor("next", in: response) else { continue }
                let second = try send(Self.adding(next, to: target))
                #expect(second.status == 200, "\(target): \(second.text)")
                guard let previous = cursor("previous", in: second) else { continue }
                #expect(try send(Self.adding(previous, to: target)).status == 200, "\(target)")
            }
        }
    }

    private func usePersonalToken(of token: String) throws {
        let made = try server.send(
            "POST", "/api/v1/me/tokens", token: token,
            json: #"{"name": "Sheet", "scopes": ["read"]}"#)
        let personal = try #require(made.object.string("token"), "\(made.text)")
        let response = try server.send("GET", "/api/v1/me/list", token: personal)
        #expect(response.status == 200, "\(response.text)")
    }

    private func cursor(_ direction: String, in response: RawResponse) -> String? {
        if response["content-type"]?.contains("json") == true {
            return (try? response.object)?["\(direction)Cursor"] as? String
        }
        let relation = direction == "next" ? "next" : "prev"
        let links = response.text.matches(
            of: /<a[^>]*href="[^"]*[?&](?:amp;)?cursor=([^"&]+)[^>]*>/)
        return links.first { $0.0.contains("rel=\"\(relation)\"") }.map { String($0.1) }
    }

    private static func adding(_ cursor: String, to target: String) -> String {
        target + (target.contains("?") ? "&" : "?") + "cursor=\(cursor)"
    }

    /// Requests that `script/bench` doesn't make.
    private static let others = [
        "/@$friend", "/@former-1", "/report?entry=$theirs", "/sitemap.xml?part=games-0",
        "/api/v1/users/$id", "/api/v1/platforms?ids=48",
        "/api/v1/games?tag=tag-7", "/oauth/authorize?client_id=$app",
    ]

    /// The requests that `script/bench` measures, and some others, with the names and numbers of what is here.
    private func targets(of owner: String, _ token: String) throws -> [String] {
        func value(_ sql: String) throws -> String { try site.session.query(sql)[0][0] }
        let circle = """
            FROM circles c JOIN circle_members m ON m.circle_id = c.id
            JOIN users u ON u.id = m.user_id WHERE u.username = '\(owner)'
            """
        let ranked = "SELECT game_id::text FROM included_by WHERE platform_id = 48 AND count > 0"
        let feed = try server.send("POST", "/api/v1/me/following/feed", token: token)
        let id = try value("SELECT c.id::text \(circle)")
        let slug = try value("SELECT c.slug \(circle)")
        let values = [
            "user": owner, "platform": "48", "snapshot": "2025", "circle": id, "own": id,
            "circle_slug": slug, "own_slug": slug,
            "friend": try value(
                """
                SELECT min(o.username) FROM users u JOIN follows f ON f.follower_id = u.id
                JOIN users o ON o.id = f.followed_id WHERE u.username = '\(owner)'
                """),
            "game": try value(ranked + " ORDER BY count DESC, game_id LIMIT 1"),
            "last": try value(ranked + " ORDER BY count, game_id LIMIT 1"),
            "owner": try value(
                "SELECT user_digest(id) FROM users WHERE username = '\(owner)'"),
            "entry": try value(
                """
                SELECT e.id::text FROM entries e JOIN users u ON u.id = e.user_id
                WHERE u.username = '\(owner)' AND e.position = 1
                """),
            "id": try value("SELECT id::text FROM users WHERE username = 'user-7'"),
            "app": try value("SELECT min(id::text) FROM apps"),
            "theirs": try value(
                """
                SELECT e.id::text FROM entries e JOIN users u ON u.id = e.user_id
                WHERE u.username = 'user-7' AND e.position = 1
                """),
            "feed": try #require(feed.text.firstMatch(of: /key=[^"]*/).map { String($0.0) }),
        ]
        let script = try String(
            contentsOfFile: TestDatabase.repository + "/script/bench.d/routes.bash", encoding: .utf8
        )
        let lines = script.split(separator: "\n").map { String($0) } + Self.others
        return lines.filter { $0.hasPrefix("/") && !$0.contains("cursor=") }
            .map { line in
                line.replacing(
                    "${server_url/127.0.0.1/localhost}", with: "https://fave.example"
                )
                .replacing(/\$(\w+)/) { values[String($0.1)] ?? "" }
            }
    }
}
