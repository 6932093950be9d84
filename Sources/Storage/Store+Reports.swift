import FaveGames
import Foundation
import Postgres

/// A reported thing, with any number of reports.
public struct ReportCase: Sendable {
    public let id: Int
    public let kind: ReportedKind
    public let username: String
    public let displayName: String
    public let bio: String
    public let openedAt: Date
    /// The text that was first reported: the comment, or the name and the description.
    public let reported: String
    /// The circle, as it is now; `nil` if it is gone, and for other kinds.
    public let circle: ReportedCircle?
    /// The comment as it is now; `nil` if the entry is gone, and for other kinds.
    public let comment: String?
    /// The game of the entry.
    public let game: String?
    public let reportCount: Int
    /// The reasons of the latest hundred reports, each once, the most frequent first.
    public let reasons: [ReportReason]
    /// The notes of the latest ten reporters.
    public let notes: [String]
}

/// A circle that was reported.
public struct ReportedCircle: Sendable {
    public let id: UUID
    public let slug: String
    public let name: String
    public let description: String
    public let visibility: CircleVisibility
}

/// A report, as its author sees it.
public struct MadeReport: Sendable {
    public let reason: ReportReason
    public let note: String
    public let madeAt: Date
}

/// The person, or the person's comment, that someone is about to report.
public struct Reportable: Sendable {
    public let username: String
    public let displayName: String
    /// For an entry.
    public let game: String?
    public let comment: String?
}

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

    /// Reports something. Reports of the same thing belong to one case, and a second report by the
    /// same reporter isn't counted.
    ///
    /// - Parameters:
    ///   - reporter: The user's id, or a digest of the network of someone who isn't signed in.
    ///   - reporterID: The user, if someone is signed in.
    /// - Returns: `false` if the thing doesn't exist, or not everyone may see it.
    @_spi(Writing) public func report(
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

enum Reports {
    private static let reportable = Columns<Reportable>(
        ["u.username", "u.display_name"]
    ) { row throws(PostgresError) in
        try Reportable(
            username: row.next(), displayName: row.next(), game: nil, comment: nil)
    }

    static let user = Query("reportable_user", .read, reportable) {
        """
        SELECT \($0) FROM public.users u
        WHERE u.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
        """
    }

    static let entry = Query(
        "reportable_entry", .read,
        Columns<Reportable>(
            ["u.username", "u.display_name", "g.name", "e.comment"]
        ) { row throws(PostgresError) in
            try Reportable(
                username: row.next(), displayName: row.next(), game: row.next(),
                comment: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM public.entries e
        JOIN public.users u ON u.id = e.user_id
        JOIN games g ON g.id = e.game_id
        WHERE e.id = $1 AND e.audience = 'public'
        """
    }

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

    private static let circle = Columns<ReportedCircle>([
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
        }
    ) {
        """
        SELECT \($0)
        FROM (SELECT * FROM cases
              WHERE closed_at IS NULL AND id > $1 AND user_id IS DISTINCT FROM $3::uuid
              ORDER BY id LIMIT $2) c
        JOIN public.users u ON u.id = c.user_id
        LEFT JOIN public.entries e ON e.id = c.entry_id
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
