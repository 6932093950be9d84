public import FaveGames
import Foundation
import Freshness
public import Postgres
public import Storage

/// Work that is done from time to time, by only one of the servers.
package enum MaintenanceTask: CaseIterable, Sendable {
    case recordRanks, rankPlatforms, deleteChanges, endTerms, takeYearlySnapshots, weighHearts,
        finishImports, hideMissedEntries, endEndlessWaits, mendCounts
    case expire(ExpiringData)

    package static let allCases: [MaintenanceTask] =
        [
            .recordRanks, .rankPlatforms, .deleteChanges, .endTerms, .takeYearlySnapshots,
            .weighHearts,
            .finishImports, .hideMissedEntries, .endEndlessWaits, .mendCounts,
        ]
        + ExpiringData.all.map { .expire($0) }

    /// How often the task is done.
    package static let period = Duration.seconds(600)

    /// The task's name in the database, in metrics and in messages.
    package var name: String {
        switch self {
        case .recordRanks: "record_ranks"
        case .rankPlatforms: "rank_platforms"
        case .deleteChanges: "delete_changes"
        case .endTerms: "end_terms"
        case .takeYearlySnapshots: "take_yearly_snapshots"
        case .weighHearts: "weigh_hearts"
        case .finishImports: "finish_imports"
        case .hideMissedEntries: "hide_missed_entries"
        case .endEndlessWaits: "end_endless_waits"
        case .mendCounts: "mend_counts"
        case .expire(let what): "delete_\(what.name)"
        }
    }

    /// The task's purpose, as a sentence.
    package var purpose: String {
        switch self {
        case .recordRanks: "Records each platform's top games once a day, to show their movement."
        case .rankPlatforms:
            "Counts the games of each platform, to sort the platforms of a game."
        case .deleteChanges: "Deletes notes of changes that are older than ten minutes."
        case .endTerms:
            "Ends suspensions whose term is over, and shows the lists of accounts that are no longer new."
        case .takeYearlySnapshots:
            "Takes the snapshots of those who have chosen yearly ones, on December 31st or in the January after it."
        case .weighHearts: "Decides by their hearts which comments come first in rankings."
        case .finishImports: "Finishes imports that a server has left behind."
        case .hideMissedEntries:
            "Hides entries that were saved just when their games for adults were hidden."
        case .endEndlessWaits:
            "Does at once what a clock that was wrong has put off for too long."
        case .mendCounts: "Corrects counts in rankings that are not those of the entries."
        case .expire(let what): "Deletes \(what.rule)."
        }
    }
}

extension Store {
    /// Does a task if it is due and no other process has taken its turn.
    ///
    /// - Parameter isDue: `false` to do it in any case.
    /// - Returns: Whether it was done.
    @discardableResult
    package func maintain(_ task: MaintenanceTask, ifDue isDue: Bool = true) async throws -> Bool {
        let period = isDue ? Int(MaintenanceTask.period.components.seconds) : 0
        let turn = try await database.query(
            Maintenance.begin, [.text(task.name), .int(period)])
        guard turn.affectedCount > 0 else { return false }
        switch task {
        case .recordRanks: try await noteRanks()
        case .rankPlatforms: try await rankPlatforms()
        case .deleteChanges: try await deleteOldChanges()
        case .endTerms: try await endTerms()
        case .takeYearlySnapshots: try await takeYearlySnapshots()
        case .weighHearts: while try await weighHearts(), !Task.isCancelled {}
        case .finishImports: try await finishImports()
        case .hideMissedEntries: try await database.query(Maintenance.hideMissedEntries)
        case .endEndlessWaits: try await database.query(Maintenance.endEndlessWaits)
        case .mendCounts: try await mendCounts()
        case .expire(let what):
            // In small batches, so that no one waits long for a locked row.
            while try await deleteExpired(what), !Task.isCancelled {}
        }
        try await database.query(Maintenance.note, [.text(task.name)])
        return true
    }

    /// Deletes changes that checks no longer need. A server that has not checked since then starts
    /// again.
    public func deleteOldChanges() async throws(PostgresError) {
        while try await database.row(Changes.delete) > 0, !Task.isCancelled {}
    }

    public func beginMaintenance(_ message: MaintenanceMessage) async throws(PostgresError) {
        try await database.query(Maintenance.beginMode, [.text(message.text)])
    }

    public func endMaintenance() async throws(PostgresError) {
        try await database.query(Maintenance.endMode)
    }
}

extension BulkStore {
    /// As `Store.maintenanceMode`.
    package func maintenanceMode() throws -> StoredMaintenanceMode? {
        try session.query(Maintenance.mode).first
    }

    /// Notes that a backup was made.
    package func noteBackup() throws {
        try session.query(Maintenance.note.sql, [.text(Backups.task)])
    }
}

extension Maintenance {
    static let note = Statement(
        "note_maintenance", .write,
        """
        INSERT INTO maintenance (task, succeeded_at) VALUES ($1, clock_timestamp())
        ON CONFLICT (task) DO UPDATE SET succeeded_at = excluded.succeeded_at
        """)

    static let begin = Statement(
        "begin_maintenance", .write,
        """
        INSERT INTO maintenance AS m (task) VALUES ($1)
        ON CONFLICT (task) DO UPDATE SET begun_at = clock_timestamp()
        WHERE m.begun_at <= clock_timestamp() - $2::integer * interval '1 second'
           -- The clock was wrong then, or is now.
           OR m.begun_at > clock_timestamp()
        """)

    static let hideMissedEntries = Statement(
        "hide_missed_entries", .write, "SELECT hide_missed_entries()")

    static let endEndlessWaits = Statement(
        "end_endless_waits", .write, "SELECT end_endless_waits()")

    static let beginMode = Statement(
        "begin_maintenance_mode", .write,
        """
        INSERT INTO maintenance_mode (message) VALUES ($1)
        ON CONFLICT (is_on) DO UPDATE SET message = excluded.message
        """)

    static let endMode = Statement(
        "end_maintenance_mode", .write, "DELETE FROM maintenance_mode")
}
