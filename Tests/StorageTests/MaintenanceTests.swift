import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@_spi(Writing) @testable import Storage

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
