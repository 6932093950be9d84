public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    /// Reports something. Reports of the same thing belong to one case, and a second report by the
    /// same reporter isn't counted.
    ///
    /// - Parameters:
    ///   - reporter: The user's id, or a digest of the network of someone who isn't signed in.
    ///   - reporterID: The user, if someone is signed in.
    /// - Returns: `false` if the thing doesn't exist, or not everyone may see it.
    public func report(
        _ thing: ReportedThing, by reporter: String, reporterID: UUID?, reason: ReportReason,
        note: ModerationNote
    ) async throws(PostgresError) -> Bool {
        let parameters: [PostgresParameter] = [
            .text(reporter), .uuid(reporterID), .text(reason.rawValue), .text(note.text),
        ]
        do throws(PostgresError) {
            return try await report(thing, parameters)
        } catch  where error.sqlState == SQLState.foreignKeyViolation {
            // The thing has just been deleted.
            return false
        }
    }

    private func report(
        _ thing: ReportedThing, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> Bool {
        switch thing {
        case .circle(let id):
            try await database.row(Reports.reportCircle, [.uuid(id)] + parameters)
        case .entry(let id):
            try await database.row(Reports.reportEntry, [.uuid(id)] + parameters)
        case .list(let name):
            try await database.row(
                Reports.reportUser,
                [.text(name.description)] + parameters
                    + [.text(ReportedKind.list.rawValue)])
        case .profile(let name):
            try await database.row(
                Reports.reportUser,
                [.text(name.description)] + parameters
                    + [.text(ReportedKind.profile.rawValue)])
        }
    }
}

extension Reports {
    /// Two reports of the same thing at once find one case: the second one waits for the first.
    private static func report(
        _ name: String, case insertion: String, conflict: String
    ) -> Query<Bool> {
        Query(name, .write, column("EXISTS (SELECT FROM c)", Bool.self)) {
            """
            WITH c AS (
                INSERT INTO cases (kind, user_id, entry_id, circle_id, reported, game)
                \(insertion)
                ON CONFLICT \(conflict) DO UPDATE SET kind = excluded.kind
                RETURNING id
            ), made AS (
                INSERT INTO reports (case_id, reporter, reporter_id, reason, note)
                SELECT id, $2, $3::uuid, $4, $5 FROM c
                ON CONFLICT (case_id, reporter) DO NOTHING
            )
            SELECT \($0)
            """
        }
    }

    static let reportEntry = report(
        "report_entry",
        case: """
            SELECT 'entry', e.user_id, e.id, NULL::uuid, e.comment, g.name
            FROM entries e JOIN games g ON g.id = e.game_id
            WHERE e.id = $1 AND e.audience = 'public'
            """,
        conflict: "(entry_id) WHERE closed_at IS NULL AND entry_id IS NOT NULL")

    static let reportUser = report(
        "report_user",
        case: """
            SELECT $6, u.id, NULL::uuid, NULL::uuid, CASE $6 WHEN 'profile' THEN
                       '@' || u.username || ', ' || u.display_name
                       || CASE WHEN u.bio = '' THEN '' ELSE ': ' || u.bio END ELSE '' END, NULL
            FROM users u
            WHERE u.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
            """,
        conflict: "(user_id, kind) WHERE closed_at IS NULL AND kind IN ('list', 'profile')")

    /// A circle that the user `$3` may see: a public one, unless its owner is suspended or new, or one
    /// that they are in.
    static let reportCircle = report(
        "report_circle",
        case: """
            SELECT 'circle', u.id, NULL::uuid, c.id,
                   c.name || ', /circles/' || c.slug
                   || CASE WHEN c.description = '' THEN '' ELSE ': ' || c.description END, NULL
            FROM circles c
            JOIN circle_members o ON o.circle_id = c.id AND o.owned IS NOT NULL
            JOIN users u ON u.id = o.user_id
            WHERE c.id = $1
              AND (c.visibility = 'public' AND u.disabled_at IS NULL AND u.new_until IS NULL
                   OR EXISTS (SELECT FROM circle_members m
                              WHERE m.circle_id = c.id AND m.user_id = $3::uuid))
            """,
        conflict: "(circle_id) WHERE closed_at IS NULL AND circle_id IS NOT NULL")
}
