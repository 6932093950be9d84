import FaveGames
public import Foundation
public import Postgres

extension Store {
    /// When each task last succeeded, by its name. Backups are among them.
    public func lastMaintenance() async throws(PostgresError) -> [(task: String, date: Date)] {
        try await database.query(Maintenance.last)
    }

    /// The number of the latest migration that was applied.
    public func schemaVersion() async throws(PostgresError) -> Int {
        try await database.row(Maintenance.schemaVersion)
    }
}

/// What all servers of a site tell people while they can only read.
package struct StoredMaintenanceMode: Sendable {
    package let message: String
    package let begunAt: Date
}

extension Store {
    /// - Returns: `nil` if people can write.
    package func maintenanceMode() async throws(PostgresError) -> StoredMaintenanceMode? {
        try await database.query(Maintenance.mode).first
    }
}

/// Backups, which are noted beside the maintenance tasks.
package enum Backups {
    package static let task = "backup"

    /// - Parameter last: When the last one was made; `nil` if none ever was.
    package static func areRecent(_ last: Date?, now: Date = Date()) -> Bool {
        // The nightly one may begin half an hour later than the day before, and takes time.
        last.map { now.timeIntervalSince($0) < 37 * 3600 } ?? false
    }
}

package enum Maintenance {
    package static let mode = Query(
        "maintenance_mode", .read,
        Columns<StoredMaintenanceMode>(["message", "begun_at"]) { row throws(PostgresError) in
            try StoredMaintenanceMode(message: row.next(), begunAt: row.next())
        }
    ) { "SELECT \($0) FROM maintenance_mode" }

    static let last = Query(
        "last_maintenance", .read,
        Columns<(task: String, date: Date)>(["task", "succeeded_at"]) {
            row throws(PostgresError) in try (row.next(), row.next())
        }
    ) { "SELECT \($0) FROM maintenance WHERE succeeded_at IS NOT NULL ORDER BY task" }

    static let schemaVersion = Query(
        "schema_version", .read, column("coalesce(max(version), 0)", Int.self)
    ) { "SELECT \($0) FROM schema_migrations" }
}
