import Encodings
public import FaveGames
public import Foundation
import Freshness
public import Postgres
public import Storage

// Snapshots that people take of their lists.
extension Store {
    /// Takes a snapshot of a user's list.
    ///
    /// - Throws: `SnapshotError.empty`, also if the user is gone; `SnapshotError.tooMany`.
    public func takeSnapshot(userID: UUID, title: SnapshotTitle) async throws -> Snapshot {
        try await explainingLimit {
            try await database.withTransaction { transaction in
                try await take(title, of: userID, in: transaction)
            }
        }
    }

    /// Deletes a snapshot. If the user doesn't have it, this succeeds, too.
    public func deleteSnapshot(slug: SnapshotSlug, of userID: UUID) async throws(PostgresError) {
        try await database.query(
            Snapshots.delete, [.uuid(userID), .text(slug.description)])
    }

    /// Takes the snapshots of people who have chosen yearly ones, on the last day of a year or in
    /// the January after it.
    ///
    /// - Parameter day: Such as "2026-12-31"; today in UTC if `nil`.
    func takeYearlySnapshots(on day: String? = nil) async throws(PostgresError) {
        while !Task.isCancelled {
            let due = try await database.query(Snapshots.due, [.text(day)])
            guard let year = due.first?.year else { return }
            try await database.query(
                Snapshots.takeYearly,
                [
                    .texts(due.map(\.user.text)), .int(year),
                    .text(SnapshotTitle(year: year).text),
                ])
        }
    }

    private func take(
        _ title: SnapshotTitle, of userID: UUID, in transaction: Transaction
    ) async throws -> Snapshot {
        let slug =
            try await transaction.query(
                Snapshots.take, [.uuid(userID), .text(title.text)]
            ).first ?? nil
        let snapshot = try await transaction.query(
            Snapshots.byUserID, [.uuid(userID), .text(slug)])
        guard let snapshot = Snapshot(snapshot) else { throw SnapshotError.empty }
        return snapshot
    }

    /// Finds the meaning of a violated constraint.
    private func explainingLimit<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError where error.constraint == "snapshots_limit" {
            throw SnapshotError.tooMany
        }
    }
}

extension Snapshots {
    static let take = Query(
        "take_snapshot", .write, column("take_snapshot($1, $2, NULL)", String?.self)
    )

    static let delete = Statement(
        "delete_snapshot", .write, "DELETE FROM snapshots WHERE user_id = $1 AND slug = $2")

    // MARK: Years

    /// The number of yearly snapshots that are taken in one transaction.
    private static let batch = 200

    /// The next users whose yearly snapshot is to be taken.
    static let due = Query(
        "due_years", .read,
        Columns<(user: UUID, year: Int)>(["u.id", "ended.year"]) { row throws(PostgresError) in
            try (row.next(), row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT CASE WHEN extract(month FROM day) = 1 THEN extract(year FROM day) - 1
                        WHEN to_char(day, 'MMDD') = '1231' THEN extract(year FROM day)
                   END::smallint AS year
            FROM (SELECT coalesce($1::date, \(Today.sql)) AS day) today
        ) ended
        JOIN users u ON u.next_snapshot_year <= ended.year
        ORDER BY u.next_snapshot_year, u.id LIMIT \(batch)
        """
    }

    static let takeYearly = Statement(
        "take_yearly_snapshots", .write, "SELECT take_yearly_snapshots($1::uuid[], $2, $3)")
}
