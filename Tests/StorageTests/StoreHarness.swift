import FaveGames
import Foundation
import Postgres
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Not that of Swift Testing.
typealias Confirmation = FaveGames.Confirmation

/// Runs `body` on several loops at once, each with a store of its own.
func withStores(
    _ count: Int, _ database: TestDatabase, connections: Int,
    _ body: @escaping @Sendable (Int, Store) async throws -> Void
) async throws {
    try await withThrowingTaskGroup { group in
        for index in 0..<count {
            group.addTask {
                try await withStore(database, connections: connections) { store in
                    try await body(index, store)
                }
            }
        }
        try await group.waitForAll()
    }
}

/// A number that tasks share.
final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func increment() { number.withLock { $0 += 1 } }
}

extension TestDatabase {
    /// As the owner confirms a change with a password.
    func confirmation(_ user: UUID, _ session: UUID? = nil, hash: String) throws -> Confirmation {
        let digest: PostgresBytes = try self.session().query(
            "SELECT sha256(convert_to($1, 'UTF8'))", [.text(hash)])[0][0]
        return Confirmation(userID: user, sessionID: session, passwordDigest: digest.bytes)
    }
}

/// What the owner of an account does.
extension Store {
    /// Without a password.
    func link(userID: UUID, issuer: String, subject: String) async throws -> LinkOutcome {
        try await link(
            issuer: issuer, subject: subject, confirmedBy: Confirmation(userID: userID))
    }

    /// With the password, if there is one.
    ///
    /// - Returns: Whether the user existed.
    func deleteUser(id: UUID) async throws -> Bool {
        let digest = Statement(
            "digest", .read,
            "SELECT sha256(convert_to(hash, 'UTF8')) FROM passwords WHERE user_id = $1")
        do {
            let digests: [PostgresBytes] = try await database.pool.query(digest, [.uuid(id)]).map {
                row throws(PostgresError) in try row[0]
            }
            try await deleteUser(
                confirmedBy: Confirmation(userID: id, passwordDigest: digests.first?.bytes))
            return true
        } catch is ConfirmationLapsedError {
            return false
        }
    }
}

// Games of the starter catalogue that are on PlayStation 4 (48) and PC (6).
let ps4 = 48
let pc = 6

extension TestDatabase {
    /// Ids of games that are on the platforms, in order.
    func games(on platforms: [Int], _ count: Int) throws -> [Int] {
        let games: [Int] = try session().query(
            """
            SELECT array_agg(game_id ORDER BY game_id) FROM (
                SELECT game_id FROM game_platforms WHERE platform_id = ANY ($1::integer[])
                GROUP BY game_id HAVING count(*) = cardinality($1::integer[])
                ORDER BY game_id LIMIT $2
            ) chosen
            """, [.ints(platforms), .int(count)])[0][0]
        guard games.count == count else { throw TestFailure("only \(games.count) games") }
        return games
    }

    func set(_ visibility: Visibility, of user: UUID) throws {
        try session().query(
            "UPDATE users SET visibility = $2 WHERE id = $1",
            [.uuid(user), .text(visibility.rawValue)])
    }

    func setDisabled(_ disabled: Bool, _ user: UUID) throws {
        let session = try session()
        try session.withTransaction {
            try session.query(
                "SELECT FROM lists WHERE user_id = $1 FOR NO KEY UPDATE", [.uuid(user)])
            try session.query(Operators.setDisabled.sql, [.uuid(user), .bool(disabled)])
            if disabled { try session.query(Sessions.endAll.sql, [.uuid(user)]) }
        }
    }

    /// Writes a list of games for PlayStation 4, not by the program.
    func insert(_ games: [Int], for user: UUID, comment: String = "") throws {
        try session().query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT $1, place, game, 48, $3
            FROM unnest($2::integer[]) WITH ORDINALITY AS pick (game, place)
            """, [.uuid(user), .ints(games), .text(comment)])
    }

    /// How many lists include a game for PlayStation 4.
    func count(of game: Int) throws -> Int {
        try session().query(
            """
            SELECT coalesce((SELECT count FROM included_by
                             WHERE (platform_id, game_id) = (48, $1)), 0)
            """, [.int(game)])[0][0]
    }

    /// Games that are on PlayStation 4 only, with these names, from id 900000 on.
    func makeGames(_ names: [String]) throws -> [Int] {
        let first = 900_000
        for (index, name) in names.enumerated() {
            try session().query(
                """
                WITH game AS (INSERT INTO games (id, name) VALUES ($1, $2))
                SELECT
                """, [.int(first + index), .text(name)])
            try session().query(
                "INSERT INTO game_platforms VALUES ($1, 48)", [.int(first + index)])
        }
        return Array(first..<first + names.count)
    }

    /// Gives so many new users a list with just this game for PlayStation 4.
    func include(_ game: Int, times: Int, comment: (Int) -> String = { _ in "" }) throws {
        let session = try session()
        _ = try BulkStore(session).load(
            try (0..<times).map { number in
                ListSeed(
                    username: "fan-\(UUID().uuidString.prefix(8).lowercased())-\(number)",
                    displayName: "Fan \(number)",
                    madeAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)),
                    entries: [
                        DraftEntry(
                            gameID: game, platformID: ps4, comment: try Comment(comment(number)))
                    ])
            })
    }
}

extension Store {
    /// Makes the list exactly this, with entries for the picks.
    @discardableResult
    func put(_ picks: [Pick], for user: UUID, comment: String = "") async throws -> FaveList? {
        let comment = try Comment(comment)
        return try await changeList(userID: user) { list in
            try ListDraft(
                picks.map {
                    DraftEntry(gameID: $0.game, platformID: $0.platform, comment: comment)
                },
                replacing: list)
        }
    }
}

/// Notes the statements of a transaction. Before each of them, something else may happen.
final class Listener: StatementRunner {
    private let transaction: Transaction
    private let before: () throws -> Void
    private(set) var sql = ""

    init(_ transaction: Transaction, before: @escaping () throws -> Void = {}) {
        self.transaction = transaction
        self.before = before
    }

    func query(
        _ statement: Statement, _ parameters: [PostgresParameter], after write: BoundStatement?
    ) async throws(PostgresError) -> Rows {
        sql += statement.sql + "\n"
        do { try before() } catch { throw PostgresError(.unexpectedResult, detail: "\(error)") }
        return try await transaction.query(statement, parameters, after: write)
    }
}
