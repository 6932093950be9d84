public import FaveGames
public import Foundation
public import Postgres

extension Store {
    /// The thing that a report would be about; `nil` if it doesn't exist, or not everyone may see
    /// it. An entry must be on a public list: its id may have been published when the list was
    /// public, and must not lead to a person whose list is now hidden.
    ///
    /// Blocks change nothing: no one can escape reports by blocking the people they harass.
    public func reportable(entry id: UUID) async throws(PostgresError) -> Reportable? {
        try await database.query(Reports.entry, [.uuid(id)]).first
    }

    /// The person with this username as above. Their list must not be private.
    public func reportable(username: Username) async throws(PostgresError) -> Reportable? {
        try await database.query(Reports.user, [.text(username.description)]).first
    }

    /// The number of cases on one page.
    public static let casesPerPage = 50

    /// The open cases, the oldest first, one page at a time. Cases about the requesting moderator
    /// are left out, so reporters can speak freely.
    ///
    /// - Parameters:
    ///   - id: The last case of the previous page; 0 for the first page.
    ///   - moderator: `nil` for an operator.
    public func openCases(
        after id: Int, for moderator: UUID?
    ) async throws(PostgresError) -> [ReportCase] {
        try await database.query(
            Reports.open, [.int(id), .int(Self.casesPerPage), .uuid(moderator)])
    }
}

package enum Reports {
    private static let reportable = Columns<Reportable>(
        ["u.username", "u.display_name"]
    ) { row throws(PostgresError) in
        try Reportable(
            username: row.next(), displayName: row.next(), game: nil, comment: nil)
    }

    static let user = Query(
        "reportable_user", .read, reportable,
        unfiltered: "People can report those who have blocked them."
    ) {
        """
        SELECT \($0) FROM users u
        WHERE u.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
        """
    }

    package static let entry = Query(
        "reportable_entry", .read,
        Columns<Reportable>(
            ["u.username", "u.display_name"] + GameTitle.columns.expressions + ["e.comment"]
        ) { row throws(PostgresError) in
            try Reportable(
                username: row.next(), displayName: row.next(),
                game: row.next(GameTitle.columns), comment: row.next())
        }, unfiltered: "People can report what those who have blocked them write."
    ) {
        """
        SELECT \($0)
        FROM entries e
        JOIN users u ON u.id = e.user_id
        JOIN games g ON g.id = e.game_id
        WHERE e.id = $1 AND e.audience = 'public'
        """
    }

    package static let circle = Columns<ReportedCircle>([
        "l.id", "l.slug", "l.name", "l.description", "l.visibility",
    ]) { row throws(PostgresError) in
        try ReportedCircle(
            id: row.next(), slug: row.next(), name: row.next(), description: row.next(),
            visibility: row.next())
    }

    static let open = Query(
        "open_cases", .longRead,
        Columns<ReportCase>(
            [
                "c.id", "c.kind", "u.username", "u.display_name", "u.bio", "c.opened_at",
                "c.reported",
            ] + circle.expressions + ["e.comment", "c.game", "r.count", "r.reasons", "r.notes"]
        ) { row throws(PostgresError) in
            try ReportCase(
                id: row.next(), kind: row.next(), username: row.next(), displayName: row.next(),
                bio: row.next(), openedAt: row.next(), reported: row.next(),
                circle: row.next(circle.optional), comment: row.next(), game: row.next(),
                reportCount: row.next(), reasons: reasons(row.next()), notes: row.next())
        }, unfiltered: "Moderators decide about people whom they have blocked, too."
    ) {
        """
        SELECT \($0)
        FROM (SELECT * FROM cases
              WHERE closed_at IS NULL AND id > $1 AND user_id IS DISTINCT FROM $3::uuid
              ORDER BY id LIMIT $2) c
        JOIN users u ON u.id = c.user_id
        LEFT JOIN entries e ON e.id = c.entry_id
        LEFT JOIN circles l ON l.id = c.circle_id
        CROSS JOIN LATERAL (
            SELECT (SELECT count(*) FROM reports WHERE case_id = c.id) AS count,
                   ARRAY(SELECT reason
                         FROM (SELECT reason FROM reports WHERE case_id = c.id
                               ORDER BY made_at DESC LIMIT 100) latest
                         GROUP BY reason ORDER BY count(*) DESC, reason) AS reasons,
                   ARRAY(SELECT note FROM reports WHERE case_id = c.id AND note <> ''
                         ORDER BY made_at DESC LIMIT 10) AS notes
        ) r
        ORDER BY c.id
        """
    }

    static let ofReporter = Query(
        "made_reports", .read,
        Columns<MadeReport>(["reason", "note", "made_at"]) { row throws(PostgresError) in
            try MadeReport(reason: row.next(), note: row.next(), madeAt: row.next())
        }
    ) { "SELECT \($0) FROM reports WHERE reporter_id = $1 ORDER BY made_at" }

    private static func reasons(_ names: [String]) -> [ReportReason] {
        names.compactMap(ReportReason.init)
    }
}
