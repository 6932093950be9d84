import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("What is stored about people", .blocking)
struct StoredDataTests {
    private func names(_ database: TestDatabase, _ sql: String) throws -> Set<String> {
        let rows: Rows = try database.session().query(sql)
        var names: Set<String> = []
        for row in rows {
            let name: String = try row[0]
            names.insert(name)
        }
        return names
    }

    private static let parts = StoredData.all.flatMap(\.parts)

    private static var exported: Set<String> {
        parts.reduce(into: []) { tables, part in
            if case .members = part.export { tables.formUnion(part.tables) }
        }
    }

    @Test("is in tables that are declared, each once")
    func tables() throws {
        let declared = Self.parts.flatMap(\.tables)
        #expect(Set(declared).count == declared.count)
        #expect(StoredData.otherTables.isDisjoint(with: declared))
        let database = try TestDatabase(.migrated)
        let all = try names(
            database,
            """
            SELECT relname::text FROM pg_class
            WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
            """)
        #expect(all == StoredData.otherTables.union(declared))
        let ofUsers = try names(
            database,
            """
            SELECT conrelid::regclass::text FROM pg_constraint
            WHERE contype = 'f' AND confrelid = 'users'::regclass
            """)
        #expect(ofUsers.count > 10)
        #expect(ofUsers.isSubset(of: declared))
    }

    @Test("is read for the export if it is declared to be in it, and not if it isn't")
    func export() async throws {
        let database = try TestDatabase()
        let rob = try database.makeUser("rob")
        try database.session().execute(
            """
            INSERT INTO imports (user_id, file_name, row_count, done_count)
            SELECT id, '', 1, 0 FROM users
            """)
        let sql = try await withStore(database) { store async throws in
            try await store.inSnapshot { transaction async throws in
                let listener = Listener(transaction)
                _ = try #require(try await PersonalData(of: rob, by: listener))
                return listener.sql
            }
        }
        let read = Set(sql.matches(of: /\b(?:FROM|JOIN) ([a-z_]+)/).map { String($0.1) })
        #expect(Self.exported.subtracting(read) == [])
        let leftOut = Set(Self.parts.flatMap(\.tables)).subtracting(Self.exported)
        #expect(read.intersection(leftOut) == [])
    }

    @Test("ends for the networks of reporters after a week, although the case is open")
    func networks() async throws {
        let database = try TestDatabase()
        try database.insert(database.games(on: [ps4], 1), for: database.makeUser("rob"))
        let digest = String(repeating: "d", count: 24)
        @Sendable func reporters() throws -> String {
            try database.session().query("SELECT string_agg(reporter, ' ') FROM reports")[0][0]
        }
        let name = try #require(Username("rob"))
        let note = try #require(ModerationNote(""))
        try await withStore(database) { store async throws in
            func report() async throws {
                #expect(
                    try await store.report(
                        .list(name), by: digest, reporterID: nil, reason: .spam, note: note))
            }
            for _ in 0..<2 { try await report() }
            #expect(try await !store.deleteExpired(.reporters))
            #expect(try reporters() == digest)
            try database.session().execute(
                "UPDATE reports SET made_at = now() - interval '8 days'")
            for _ in 0..<2 { #expect(try await !store.deleteExpired(.reporters)) }
            #expect(try UUID(uuidString: reporters()) != nil)
            try await report()
            #expect(try reporters().split(separator: " ").contains { $0 == digest })
            let open: Int = try database.session().query(
                "SELECT count(*) FROM cases WHERE closed_at IS NULL")[0][0]
            #expect(open == 1)
        }
    }

    @Test("ends for the networks of reporters, and for no one else, when a case is closed")
    func networksOfClosedCase() async throws {
        let database = try TestDatabase(.migrated)
        _ = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        let digest = String(repeating: "d", count: 24)
        let name = try #require(Username("rob"))
        let note = try #require(ModerationNote(""))
        try await withStore(database) { store async throws in
            for reporter in [ada, nil] {
                #expect(
                    try await store.report(
                        .list(name), by: reporter?.uuidString ?? digest, reporterID: reporter,
                        reason: .spam, note: note))
            }
            let open: Int = try database.session().query("SELECT id FROM cases")[0][0]
            #expect(
                try await store.decide(caseID: open, .dismiss, reason: .empty, by: nil) == .done)
            let reporters: [String] = try database.session().query(
                "SELECT array_agg(reporter ORDER BY reporter_id IS NULL) FROM reports")[0][0]
            #expect(reporters.count == 2 && reporters[0] == ada.uuidString)
            #expect(!reporters.contains(digest) && UUID(uuidString: reporters[1]) != nil)
        }
    }

    @Test("is in the table of the manual")
    func manual() throws {
        let file = TestDatabase.repository + "/docs/stored-data.md"
        let manual = try String(contentsOfFile: file, encoding: .utf8)
        let rows = Self.parts.map { part in
            let tables = part.tables.map { "`\($0)`" }.joined(separator: ", ")
            return "| \(part.what) | \(tables) | \(part.term) |"
        }
        let start = try #require(manual.range(of: "| what | where | for how long |\n"))
        let lines = manual[start.upperBound...].split(
            separator: "\n", omittingEmptySubsequences: false)
        let found = lines.dropFirst().prefix { !$0.isEmpty }.map(String.init)
        // Below are what isn't about people, and what isn't in a table.
        #expect(Array(found.prefix(rows.count)) == rows)
        #expect(found.count == rows.count + 3)
    }
}
