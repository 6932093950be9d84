import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Maintenance", .blocking)
struct MaintenanceTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    @Test("is done once in its period by one of many processes")
    func turns() async throws {
        let start = Date()
        try await withStore(database) { store in
            let done = try await withThrowingTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask { try await store.maintain(.expire(.sessions)) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
            #expect(try await !store.maintain(.expire(.sessions)))
            #expect(try await store.maintain(.expire(.attempts)))
            #expect(try await store.maintain(.expire(.sessions), ifDue: false))
            try database.session().execute(
                "UPDATE maintenance SET begun_at = begun_at - interval '10 minutes'")
            #expect(try await store.maintain(.expire(.sessions)))
            let last = try await store.lastMaintenance()
            #expect(last.map(\.task) == ["delete_attempts", "delete_sessions"])
            // To the millisecond, in case that the two clocks are rounded in another way.
            #expect(last.allSatisfy { (start - 0.001...Date() + 0.001).contains($0.date) })
        }
    }

    @Test("that was last begun in the future is due: a clock was wrong")
    func future() async throws {
        try await withStore(database) { store in
            #expect(try await store.maintain(.expire(.sessions)))
            try database.session().execute(
                "UPDATE maintenance SET begun_at = begun_at + interval '1 year'")
            #expect(try await store.maintain(.expire(.sessions)))
            #expect(try await !store.maintain(.expire(.sessions)))
        }
    }

    @Test("ends waits that a wrong clock has made endless, and no others")
    func waits() async throws {
        let rob = try database.makeUser("rob")
        // Each is as long as it can be by right, or a year longer.
        let waits = [
            ("heart_counts", "weigh_at", "6 hours"), ("outgoing_mail", "due_at", "1 hour"),
            ("outgoing_webhooks", "due_at", "27 hours"),
            ("mail_addresses", "reports_after", "30 minutes"), ("attempts", "empty_at", "1 day"),
        ]
        try database.session().query(
            """
            WITH c AS (INSERT INTO cases (kind, user_id) VALUES ('list', $1) RETURNING id)
            INSERT INTO outgoing_webhooks (kind, case_id) SELECT 'report', id FROM c
            """, [.uuid(rob)])
        try database.session().execute(
            """
            INSERT INTO heart_counts (entry_id, count) VALUES (gen_random_uuid(), 0);
            INSERT INTO outgoing_mail (kind) VALUES ('reset');
            INSERT INTO mail_addresses (user_id, address, canonical)
            SELECT id, 'a@b.c', 'a@b.c' FROM users;
            INSERT INTO attempts (key, empty_at) VALUES ('x', now())
            """)
        try await withStore(database) { store async throws in
            for (table, column, longest) in waits {
                func seconds(after wait: String) async throws -> Int {
                    let session = try database.session()
                    try session.execute(
                        "UPDATE \(table) SET \(column) = now() + interval '\(wait)'")
                    #expect(try await store.maintain(.endEndlessWaits, ifDue: false))
                    return try session.query(
                        "SELECT extract(epoch FROM \(column) - now())::bigint FROM \(table)")[0][0]
                }
                #expect(try await seconds(after: longest) > 1000, "\(table)")
                #expect(try await seconds(after: "1 year") <= 0, "\(table)")
            }
        }
    }

    @Test("that failed is not noted as done")
    func failure() async throws {
        try database.session().execute("ALTER TABLE sessions RENAME TO moved")
        try await withStore(database) { store in
            await #expect(throws: PostgresError.self) {
                try await store.maintain(.expire(.sessions))
            }
            let last = try await store.lastMaintenance()
            #expect(last.isEmpty)
        }
    }

    @Test("has tasks with names of their own")
    func names() {
        let names = MaintenanceTask.allCases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(MaintenanceTask.allCases.allSatisfy { $0.purpose.hasSuffix(".") })
    }
}
