import Foundation
import TestSupport
import Testing

@Suite("Responses from memory", .blocking, .thorough)
struct ExactnessTests {
    /// Two servers, readers, and writers of every kind: see exactness.py.
    private func run(_ arguments: String...) async throws -> [String: Any] {
        // As long as a write that began before this database's first change goes on anywhere in the
        // cluster, nothing is used from memory. Other tests have such writes.
        let database = try TestDatabase(.empty, in: TestCluster())
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let outcome = try await Program(name: "python3", folder: "/usr/bin").run(
            [
                "\(folder)/../Python/exactness.py", "\(try Program.server.path)",
                "\(try Program.admin.path)",
            ] + arguments, database: database)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.object
    }

    @Test("are never older than the request for them")
    func exact() async throws {
        let report = try await run("8")
        #expect(report["stale"] as? Int == 0, "\(report)")
        #expect((report["problems"] as? [String])?.isEmpty == true, "\(report)")
        for count in ["reads", "hits", "writes", "kills"] {
            #expect(report[count] as? Int ?? 0 > 0, "\(report)")
        }
    }

    @Test("would be older if the database told of no changes")
    func unchecked() async throws {
        let report = try await run("20", "--disable-triggers")
        #expect(report["stale"] as? Int ?? 0 > 0, "\(report)")
    }
}
