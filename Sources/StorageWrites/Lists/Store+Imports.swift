package import FaveGames
public import Foundation
public import Postgres
public import Storage

/// The rows of a file, as they are sent to PostgreSQL. Making it takes time in proportion to the
/// file, so it is made on a worker's thread.
package struct StoredImport: Sendable {
    fileprivate let batches: [[PostgresParameter]]
    fileprivate let count: Int
    fileprivate let doneCount: Int

    private static let batch = 500

    /// - Parameter rows: In the order of the import, 1 to `ImportedRow.limit` of them.
    package init(_ rows: [ImportedRow]) {
        count = rows.count
        doneCount = rows.count { $0.finding != nil }
        batches = stride(from: 0, to: rows.count, by: Self.batch).map { start in
            let part = rows[start..<min(start + Self.batch, rows.count)]
            func numbers(_ get: (ImportedRow) -> Int?) -> PostgresParameter {
                .texts(part.map { row in get(row).map { String($0) } })
            }
            return [
                .int(start), numbers(\.line), .texts(part.map(\.name)), numbers(\.gameID),
                .texts(part.map(\.platforms)),
                .texts(part.map { $0.platformIDs.map(String.init).joined(separator: ",") }),
                numbers(\.releaseYear), .texts(part.map(\.score)), numbers { $0.rating?.value },
                .texts(part.map(\.comment.text)),
                .texts(part.map { $0.tags.texts.joined(separator: ", ") }),
                .texts(part.map(\.shelf)), .texts(part.map(\.date)),
                .texts(part.map { $0.finding?.rawValue }),
                .texts(part.map { $0.isIGDBsID ? "true" : "false" }),
            ]
        }
    }
}

// Lists from elsewhere, as suggestions. Each statement checks that the user may see or change the
// import.
extension Store {
    /// Stores the rows of a file, which replace the user's earlier import. Their games are looked
    /// for by `finishImport(id:)`.
    ///
    /// - Throws: `ImportRunningError` if the earlier import is still running.
    package func beginImport(
        _ rows: StoredImport, fileName: String, userID: UUID
    ) async throws -> GameImport? {
        try await database.withTransaction { transaction in
            // The user comes first, as for someone who deletes the account and with it the import.
            try await transaction.query(Users.lock, [.uuid(userID)])
            try await transaction.query(ImportQueries.replace, [.uuid(userID)])
            let begun = try await transaction.query(
                ImportQueries.begin,
                [.uuid(userID), .text(fileName), .int(rows.count), .int(rows.doneCount)])
            guard let begun = begun.first else {
                guard try await transaction.query(Users.byID, [.uuid(userID)]).isEmpty else {
                    throw ImportRunningError()
                }
                return nil
            }
            for batch in rows.batches {
                try await transaction.query(ImportQueries.addRows, [.uuid(begun.id)] + batch)
            }
            return begun
        }
    }

    /// Looks for the games of an import's rows until all are done, or another process has taken
    /// over. An import that PostgreSQL can't process fails for good.
    public func finishImport(id: UUID) async throws(PostgresError) {
        do {
            while try await database.query(
                ImportQueries.match, [.uuid(id), .int(ImportQueries.matchedAtOnce)]
            ).first == true {}
        } catch {
            guard error.code == .server, !error.isTransient else { throw error }
            try await database.query(ImportQueries.fail, [.uuid(id)])
            throw error
        }
    }

    /// Takes over an import of the user that no process has worked on lately.
    ///
    /// - Returns: The import's id, which is for `finishImport(id:)`; `nil` if there is none.
    public func takeOverImport(userID: UUID) async throws(PostgresError) -> UUID? {
        try await database.query(ImportQueries.takeOver, [.uuid(userID)]).first
    }

    /// Finishes the imports that processes have left behind.
    func finishImports() async throws(PostgresError) {
        while let id = try await database.query(ImportQueries.takeOver, [.uuid(nil)]).first {
            try await finishImport(id: id)
        }
    }

    /// Deletes the user's import, if there is one, whether or not it is running.
    public func deleteImport(userID: UUID) async throws(PostgresError) {
        try await database.query(ImportQueries.delete, [.uuid(userID)])
    }
}

extension ImportQueries {
    /// How many rows one statement looks for. A name takes less than a millisecond if a game has it, and
    /// up to some dozen if it must be searched for. Few, because saves may wait for the connection.
    static let matchedAtOnce = 10

    /// An import was left behind if no process has worked on it for this long. A time in the future
    /// counts, too: the clock was wrong then, or is now.
    private static let isLeft = """
        state = 'running'
        AND NOT worked_at BETWEEN clock_timestamp() - interval '15 seconds' AND clock_timestamp()
        """

    static let replace = Statement(
        "replace_import", .write,
        "DELETE FROM imports WHERE user_id = $1 AND state <> 'running'")

    static let begin = Query("begin_import", .write, gameImport) {
        """
        INSERT INTO imports (user_id, file_name, row_count, done_count, state)
        SELECT u.id, $2, $3::integer, $4::integer,
               CASE WHEN $3::integer = $4::integer THEN 'done' ELSE 'running' END
        FROM users u WHERE u.id = $1
        ON CONFLICT (user_id) DO NOTHING
        RETURNING \($0)
        """
    }

    /// `$2` is the place before the first row.
    static let addRows = Statement(
        "add_import_rows", .write,
        """
        INSERT INTO import_rows (
            import_id, place, line, name, named_id, named_platforms, platform_ids, release_year,
            score, rating, comment, tags, shelf, dated, finding, has_igdbs_id)
        SELECT $1, $2::integer + r.number, r.line, r.name, r.named_id, r.named_platforms,
               string_to_array(r.platform_ids, ',')::integer[], r.release_year, r.score, r.rating,
               r.comment, r.tags, r.shelf, r.dated, r.finding, r.has_igdbs_id
        FROM unnest($3::integer[], $4::text[], $5::integer[], $6::text[], $7::text[],
                    $8::smallint[], $9::text[], $10::smallint[], $11::text[], $12::text[],
                    $13::text[], $14::text[], $15::text[], $16::boolean[])
             WITH ORDINALITY AS r (
                line, name, named_id, named_platforms, platform_ids, release_year, score, rating,
                comment, tags, shelf, dated, finding, has_igdbs_id, number)
        """)

    /// Looks for the games of some rows, with the database's function `imported_game`. The import is
    /// locked before its rows, as in its deletion. The column says whether there is more to do.
    static let match = Query(
        "match_import_rows", .write, column("c.done > 0 AND i.state = 'running'", Bool.self)
    ) {
        """
        WITH running AS MATERIALIZED (
            SELECT id FROM imports WHERE id = $1 AND state = 'running' FOR NO KEY UPDATE
        ), wanted AS MATERIALIZED (
            SELECT r.*
            FROM running JOIN import_rows r ON r.import_id = running.id
            WHERE r.finding IS NULL
            ORDER BY r.place LIMIT $2 FOR UPDATE OF r SKIP LOCKED
        ), matched AS MATERIALIZED (
            SELECT w.place, w.named_platforms, w.platform_ids, c.game_id, c.candidates,
                   cardinality(p.ids) AS platform_count,
                   CASE WHEN cardinality(p.ids) = 1 THEN p.ids[1] END AS platform_id
            FROM wanted w
            LEFT JOIN LATERAL imported_game(
                w.name, w.named_id, w.has_igdbs_id, w.platform_ids, w.release_year) c ON true
            LEFT JOIN LATERAL (
                SELECT array_agg(o.platform_id) AS ids FROM game_platforms o
                WHERE o.game_id = c.game_id AND o.platform_id = ANY (w.platform_ids)
            ) p ON true
        ), judged AS MATERIALIZED (
            SELECT m.place, m.game_id, m.platform_id, m.candidates,
                   CASE WHEN m.game_id IS NULL THEN 'no_game'
                        WHEN m.number > 1 OR EXISTS (
                            SELECT FROM import_rows e
                            WHERE e.import_id = $1 AND e.game_id = m.game_id
                              AND e.platform_id IS NOT DISTINCT FROM m.platform_id)
                        THEN 'duplicate'
                        WHEN cardinality(m.platform_ids) = 1 AND m.platform_count IS NULL
                        THEN 'not_on_platform'
                        WHEN m.named_platforms <> '' AND m.platform_ids = '{}'
                        THEN 'unknown_platform'
                        WHEN m.candidates > 1 THEN 'several_games'
                        ELSE 'found'
                   END AS finding
            FROM (SELECT *, row_number() OVER (
                             PARTITION BY game_id, platform_id ORDER BY place) AS number
                  FROM matched) m
        ), changed AS (
            UPDATE import_rows r
            SET finding = j.finding, game_id = j.game_id, platform_id = j.platform_id,
                candidates = coalesce(j.candidates, 0)
            FROM judged j WHERE r.import_id = $1 AND r.place = j.place
            RETURNING r.is_suggested
        ), c AS (
            SELECT count(*)::integer AS done,
                   (count(*) FILTER (WHERE is_suggested))::integer AS suggested
            FROM changed
        )
        UPDATE imports i
        SET done_count = i.done_count + c.done,
            suggested_count = i.suggested_count + c.suggested,
            worked_at = clock_timestamp(),
            state = CASE WHEN i.done_count + c.done = i.row_count THEN 'done' ELSE i.state END
        FROM c WHERE i.id = $1 AND i.state = 'running'
        RETURNING \($0)
        """
    }

    static let fail = Statement(
        "fail_import", .write,
        "UPDATE imports SET state = 'failed' WHERE id = $1 AND state = 'running'")

    /// `$1` is the import's owner; anyone's import if NULL.
    static let takeOver = Query("take_over_import", .write, column("id", UUID.self)) {
        """
        UPDATE imports SET worked_at = clock_timestamp()
        WHERE \(isLeft) AND id = (
            SELECT id FROM imports
            WHERE \(isLeft) AND ($1::uuid IS NULL OR user_id = $1::uuid)
            ORDER BY worked_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING \($0)
        """
    }

    static let delete = Statement(
        "delete_import", .write, "DELETE FROM imports WHERE user_id = $1")
}
