import Foundation
import Migrations
import TestSupport

/// A folder that is there for the time of a test.
struct TemporaryFolder {
    let path: String

    static func with<Result>(
        _ body: (TemporaryFolder) async throws -> Result
    ) async throws -> Result {
        let folder = try make()
        defer { folder.remove() }
        return try await body(folder)
    }

    private static func make() throws -> TemporaryFolder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return TemporaryFolder(path: url.path)
    }

    /// Writes the program's migrations and one more, as a newer version would have it.
    func writeMigrations(andThen sql: String) throws {
        let migrations = try Migration.embedded()
        for migration in migrations {
            let file = TestDatabase.migrationsFolder + "/" + migration.fileName
            try write(migration.fileName, Data(contentsOf: URL(fileURLWithPath: file)))
        }
        let number = String(migrations.count + 1)
        let prefix = String(repeating: "0", count: 4 - number.count) + number
        try write("\(prefix)_next.sql", Data(sql.utf8))
    }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ contents: Data) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: url)
    }
}
