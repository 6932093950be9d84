import Endpoints
import Foundation
import Freshness
import HTTP
import Languages
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

@Suite("What a cached response depends on", .blocking)
struct CacheDependencyTests {
    /// A target for each public route of which responses may be cached.
    private static func targets() throws -> [(route: Web.Route, target: String)] {
        let values = [
            "username": "rob", "platform": "win", "game": "71", "entry": "x", "asset": "site.css",
            "card": "x.png", "kind": "not-found", "provider": "x", "user": "x", "id": "71",
            "snapshot": "2026",
            "circle": "00000000-0000-4000-8000-00000000000c",
        ]
        return try Routes.all.flatMap { route -> [(Web.Route, String)] in
            guard route.isCacheable else { return [] }
            var target = route.pattern
            for parameter in route.pattern.matches(of: /\{(\w+)\}/) {
                let value = try #require(values[String(parameter.1)], "\(route.pattern)")
                target = target.replacing(parameter.0, with: value)
            }
            let list = "?url=https://fave.example/@rob"
            return [
                "", list, list + "&format=xml", "?search=por", "?search=x", "?platform=win",
                "?tag=x&game=71",
                "?ids=71,72",
            ].map { (route, target + $0) }
        }
    }

    @Test("covers every table that its statements read")
    func tables() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        _ = try session.query(
            "INSERT INTO users (username, display_name) VALUES ('rob', 'Rob'), ('ada', 'Ada')")
        _ = try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT id, 1, 71, 6, 'Why' FROM users
            """)
        try session.execute(
            """
            SELECT take_snapshot(id, 'My five', 2026::smallint) FROM users WHERE username = 'rob'
            """)
        _ = try session.query(
            """
            WITH c AS (
                INSERT INTO circles (id, slug, name, visibility)
                VALUES ('00000000-0000-4000-8000-00000000000c',
                        '00000000-0000-4000-8000-00000000000c', 'Club', 'public') RETURNING id
            )
            INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
            SELECT c.id, u.id, 1, 1, 1 FROM c, users u WHERE u.username = 'rob'
            """)
        let recorded = Recorder<Statement>()
        let cached = Recorder<String>()
        try await Services.on(database) { services, pool in
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                for (route, target) in try Self.targets() {
                    let recorder = DependencyRecorder()
                    let request = try Request(target: target)
                    let match = Routes.router.match(.get, request.target.segments)
                    guard case .found(_, let parameters) = match else { continue }
                    let context = try Web.RequestContext(
                        request, id: RequestID(), parameters: parameters,
                        services: services.reading(.forEveryone(recorder)), client: .local,
                        visitor: nil, language: .en, allowance: nil)
                    let response = try? await route.respond(context)
                    for statement in recorder.statements { recorded.record(statement) }
                    if response?.status == .ok, recorder.keys?.isEmpty == false {
                        cached.record(route.pattern)
                    }
                }
            }
        }
        // If a route is missing here, a statement that it runs does not say what it depends on.
        #expect(
            Set(cached.elements) == [
                "/circles/{circle}", "/circles/{circle}/platforms/{platform}",
                "/api/v1/circles/{circle}", "/api/v1/circles/{circle}/members",
                "/api/v1/circles/{circle}/rankings", "/api/v1/circles/{circle}/common-games",
                "/api/v1/circles/{circle}/platforms/{platform}/ranking",
                "/", "/@{username}", "/@{username}/share", "/@{username}/embed",
                "/@{username}/feed",
                "/@{username}/similar", "/@{username}/{snapshot}", "/@{username}/{snapshot}/share",
                "/api/v1/users/{username}/snapshots",
                "/api/v1/users/{username}/snapshots/{snapshot}",
                "/api/v0/games", "/api/v0/platforms", "/api/v0/users",
                "/api/v0/platform-fave-games/{platform}", "/api/v0/games/{game}",
                "/api/v1/entries", "/api/v1/games", "/api/v1/games/{game}", "/api/v1/platforms",
                "/api/v1/games/{game}/standings", "/api/v1/games/{game}/related",
                "/api/v1/lists", "/api/v1/users/{username}/list/cards",
                "/api/v1/platforms/{platform}/ranking/cards",
                "/api/v1/platforms/{platform}", "/api/v1/platforms/{platform}/games/{game}/entries",
                "/api/v1/platforms/{platform}/ranking", "/api/v1/users",
                "/api/v1/users/{username}", "/api/v1/users/{username}/list",
                "/api/v1/users/{username}/similar", "/entries", "/games",
                "/games/{game}", "/oembed", "/platforms", "/platforms/{platform}/feed",
                "/platforms/{platform}", "/platforms/{platform}/share",
                "/platforms/{platform}/games/{game}", "/sitemap.xml", "/users",
            ])

        _ = try session.query("SET plan_cache_mode = force_generic_plan")
        for statement in Set(recorded.elements) {
            guard let names = statement.dependencyNames else { continue }
            let covered = names.reduce(into: Set<String>()) {
                $0.formUnion(ChangeKey.tables(of: $1))
            }
            let read = try Self.tables(of: statement, session)
            #expect(read.subtracting(covered) == [], "\(statement.name) reads more")
        }
    }

    /// The tables that PostgreSQL reads for a statement.
    private static func tables(
        of statement: Statement, _ session: BlockingSession
    ) throws -> Set<String> {
        _ = try session.query("PREPARE asked AS \(statement.sql)")
        defer { _ = try? session.query("DEALLOCATE asked") }
        let count: Int = try session.query(
            "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'asked'"
        )[0][0]
        let nulls = Array(repeating: "NULL", count: count).joined(separator: ", ")
        let lines = try session.query(
            "EXPLAIN (VERBOSE, COSTS off) EXECUTE asked" + (count > 0 ? "(\(nulls))" : ""))
        let plan = try lines.map { try $0[0] as String }.joined(separator: "\n")
        var tables = Set(plan.matches(of: /on public\.(\w+)/).map { String($0.1) })
        // Functions hide what they read.
        let functions = plan.matches(of: /Function Scan on public\.(\w+)/).map { String($0.1) }
        for function in functions {
            tables.remove(function)
            if function == "find_games" {
                tables.formUnion(["games", "game_names", "game_platforms"])
            } else {
                #expect(function.hasPrefix("entries_with_"), "\(function) reads what?")
                tables.insert("entries")
            }
        }
        return tables
    }
}
