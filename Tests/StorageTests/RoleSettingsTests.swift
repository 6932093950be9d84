import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Every setting of PostgreSQL that a role may have, at values that nobody expects.
@Suite("Settings of a role", .blocking)
struct RoleSettingsTests {
    private let database: TestDatabase
    private let role: String
    private let url: String
    private let user: UUID
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        user = try database.makeUser("rob")
        games = try database.games(on: [ps4], 3)
        role = "\(database.name)_role"
        url = database.url.replacing("user=fave", with: "user=\(role)")
        try database.session().execute("CREATE ROLE \(role) LOGIN IN ROLE fave")
    }

    /// What operators may choose. The first three make a database or a role read-only.
    private static let left: Set = [
        "default_transaction_read_only", "transaction_read_only", "transaction_deferrable",
        "transaction_isolation",
    ]

    private static let texts = [
        "DateStyle": "German, DMY", "TimeZone": "Pacific/Kiritimati", "search_path": "nowhere",
        "client_encoding": "LATIN1", "default_text_search_config": "pg_catalog.english",
        "application_name": "other", "timezone_abbreviations": "India",
        "restrict_nonsystem_relation_kind": "view, foreign-table",
        "temp_tablespaces": "pg_default", "default_tablespace": "pg_default",
        "plpgsql.extra_errors": "all", "plpgsql.extra_warnings": "all",
    ]

    /// For each setting, the values other than its default that are most likely to do harm.
    private func values() throws -> [(name: String, values: [String])] {
        let session = try database.session()
        // Extensions have settings, too, once they are loaded.
        try session.execute("DO $$ BEGIN PERFORM show_trgm(''); END $$")
        return try session.query(
            """
            SELECT name, vartype, boot_val, coalesce(min_val, ''), coalesce(max_val, ''),
                   coalesce(enumvals, '{}')
            FROM pg_settings
            -- What is logged is of no consequence.
            WHERE context = 'user' AND name !~ '^(log|debug_print|trace)_'
            ORDER BY name
            """
        ).compactMap { row in
            let (name, type): (String, String) = (try row[0], try row[1])
            let (boot, least, most): (String?, String, String) = (
                try row[2], try row[3], try row[4]
            )
            let choices: [String] = try row[5]
            guard !Self.left.contains(name) else { return nil }
            let values =
                switch type {
                case "bool": [boot == "on" ? "off" : "on"]
                case "enum": choices.filter { $0 != boot }
                // Such a session is set right after it has connected, which takes some time.
                case "string": Self.texts[name].map { [$0] } ?? []
                default:
                    name == "transaction_timeout"
                        ? ["100"]
                        : name.hasSuffix("_timeout") ? ["1"] : [least, most]
                }
            return values.isEmpty ? nil : (name, values)
        }
    }

    /// Writes a list, and reads it in all ways that servers do.
    private func outcome() async throws -> [String] {
        try await withStore(at: url) { [user, games] store in
            _ = try await store.changeList(userID: user) { try ListDraft([], replacing: $0) }
            let comment = try Comment(#"back\slash, 'quotes', "NULL", \x41 and \N: {a,b}"#)
            let tags = try Tags(["null", "a-b"])
            let list = try await store.changeList(userID: user) { list in
                var entries = games.map { DraftEntry(gameID: $0, platformID: ps4) }
                entries[1].comment = comment
                entries[1].tags = tags
                return try ListDraft(entries, replacing: list)
            }
            let words = try #require(SearchText("BACK slash"))
            var filter = EntryFilter()
            filter.search = words
            let found = try await store.entries(filter, limit: 9)
            let ranking = try await store.ranking(platform: ps4, limit: 9, quotes: 3)
            let similar = try await store.games(
                matching: try #require(SearchText("zelad")), platform: nil, limit: 5)
            let people = try await store.users(matching: try #require(SearchText("RO")), limit: 5)
            return try #require(list).entries.map { "\($0.position) \($0.comment) \($0.tags)" }
                + found.entries.map(\.game.name.main)
                + ranking.games.map { "\($0.game.name) \($0.quotes.map(\.comment))" }
                + similar.map(\.game.name.main) + people.map(\.username)
        }
    }

    @Test("change nothing that servers read and write")
    func hostile() async throws {
        let settings = try values()
        #expect(settings.count > 100)
        let expected = try await outcome()
        let administrator = try database.session()
        for round in 0..<3 {
            for (name, values) in settings {
                // Some values are not valid together with the server's own.
                try? administrator.execute(
                    "ALTER ROLE \(role) SET \(name) = '\(values[round % values.count])'")
            }
            #expect(try await outcome() == expected, "round \(round)")
            #expect(try database.brokenRules() == [])
        }
    }

    @Test("that keep triggers from running are refused, or switched off by a superuser's session")
    func triggers() async throws {
        let administrator = try database.session()
        try administrator.execute("ALTER ROLE \(role) SET session_replication_role = replica")
        let error = #expect(throws: PostgresError.self) {
            try BlockingSession(connectionString: url)
        }
        #expect(error?.debugDescription.contains("\"session_replication_role\"") == true)
        await #expect(throws: PostgresError.self) { try await outcome() }
        try administrator.execute("ALTER ROLE \(role) SUPERUSER")
        _ = try await outcome()
        #expect(try database.brokenRules() == [])
    }
}
