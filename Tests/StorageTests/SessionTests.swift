import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A session", .blocking)
struct SessionTests {
    private let database: TestDatabase
    private let rob: UUID

    private static let hour = SessionLifetime(idle: .seconds(3600), absolute: .seconds(36_000))
    private static let hash = "$scrypt$first"

    private var session: BlockingSession { get throws { try database.session() } }

    init() throws {
        database = try TestDatabase(.migrated)
        rob = try database.makeUser("rob")
        try session.query(
            "INSERT INTO passwords (user_id, hash) VALUES ($1, $2)",
            [.uuid(rob), .text(Self.hash)])
    }

    private static func token(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 7, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
    }

    private func open(
        _ store: Store, _ number: Int, _ kind: SessionKind = .browser, by hash: String? = nil
    ) async throws -> UUID? {
        try await store.openSession(
            kind, userID: rob, tokenHash: Self.token(number),
            familyHash: kind == .api ? Self.token(number) : nil,
            by: .password(hash: hash ?? Self.hash),
            lifetime: Self.hour)
    }

    private static func look(_ store: Store, _ number: Int) async throws -> BrowserSession? {
        try await store.browserSession(tokenHash: token(number), lifetime: hour)
    }

    /// Ends once all that was to be written before is written: there is one connection for writes.
    private static func write(_ store: Store) async throws {
        try await store.endSession(id: UUID())
    }

    private static func refresh(
        _ store: Store, _ old: Int, to new: Int, family: Int = 1
    ) async throws -> Store.RefreshOutcome {
        try await store.refreshSession(
            familyHash: token(family), tokenHash: token(old), nextTokenHash: token(new),
            lifetime: hour)
    }

    /// In seconds: how long the session lasts after it was last used, and after it was opened. Both
    /// times are of one statement, so they are exact, however long the test takes.
    private func lifetime(_ id: UUID?) throws -> (idle: Int, whole: Int) {
        let row = try session.query(
            """
            SELECT extract(epoch FROM expires_at - seen_at)::integer,
                   extract(epoch FROM expires_at - created_at)::integer
            FROM sessions WHERE id = $1
            """, [.uuid(id)])[0]
        return (try row[0], try row[1])
    }

    private func row(_ id: UUID?) throws -> String {
        try session.query(
            "SELECT s::text FROM sessions s WHERE id = $1", [.uuid(id)])[0][0]
    }

    private func move(_ column: String, to interval: String) throws {
        try session.query(
            "UPDATE sessions SET \(column) = now() + $1::text::interval", [.text(interval)])
    }

    // MARK: Browsers

    @Test("is found by its token until it is ended")
    func found() async throws {
        try await withStore(database) { [self] store async throws in
            let id = try await open(store, 1)
            #expect(id != nil)
            let found = try await Self.look(store, 1)
            #expect(found?.id == id)
            #expect(found?.user.id == rob)
            #expect(try await Self.look(store, 2) == nil)
            try await store.endSession(tokenHash: Self.token(2))
            #expect(try await Self.look(store, 1) != nil)
            try await store.endSession(tokenHash: Self.token(1))
            #expect(try await Self.look(store, 1) == nil)
            #expect(
                try await store.openSession(
                    .browser, userID: UUID(), tokenHash: Self.token(3),
                    by: .password(hash: Self.hash),
                    lifetime: Self.hour) == nil)
        }
    }

    @Test("ends alone, or with all of its user, and with none of another's")
    func ended() async throws {
        let ada = try database.makeUser("ada")
        try session.query(
            "INSERT INTO passwords (user_id, hash) VALUES ($1, $2)",
            [.uuid(ada), .text(Self.hash)])
        try await withStore(database) { [self] store async throws in
            let ids = [
                try await open(store, 1), try await open(store, 2), try await open(store, 3, .api),
            ]
            _ = try await store.openSession(
                .browser, userID: ada, tokenHash: Self.token(4), by: .password(hash: Self.hash),
                lifetime: Self.hour)
            #expect(try await store.sessions(userID: rob).count == 3)
            try await store.endSession(id: try #require(ids[0]))
            #expect(try await Self.look(store, 1) == nil)
            #expect(try await Self.look(store, 2) != nil)
            try await store.endSessions(userID: rob)
            #expect(try await store.sessions(userID: rob).count == 0)
            #expect(try await Self.look(store, 2) == nil)
            #expect(try await Self.look(store, 4) != nil)
        }
    }

    @Test("notes its use every five minutes, and lasts longer for it")
    func touched() async throws {
        try await withStore(database) { [self] store async throws in
            let id = try await open(store, 1)
            #expect(try lifetime(id) == (3600, 3600))
            // Used a moment ago: nothing is written.
            try move("seen_at", to: "-1 minute")
            try move("expires_at", to: "1 hour")
            let before = try row(id)
            _ = try await Self.look(store, 1)
            try await Self.write(store)
            #expect(try row(id) == before)
            try move("seen_at", to: "-5 minutes")
            let unnoted = try row(id)
            // Someone else has the row, and is not waited for.
            let other = try database.session()
            try other.execute("BEGIN; SELECT FROM sessions FOR UPDATE")
            _ = try await Self.look(store, 1)
            try await Self.write(store)
            try other.execute("ROLLBACK")
            #expect(try row(id) == unnoted)
            _ = try await Self.look(store, 1)
            try await Self.write(store)
            #expect(try row(id) != unnoted)
            #expect(try lifetime(id).idle == 3600)
        }
    }

    @Test("lasts no longer than it may however much it is used")
    func absolute() async throws {
        try await withStore(database) { [self] store async throws in
            let short = SessionLifetime(idle: .seconds(3600), absolute: .seconds(600))
            let id = try await store.openSession(
                .browser, userID: rob, tokenHash: Self.token(1), by: .password(hash: Self.hash),
                lifetime: short)
            #expect(try lifetime(id).whole == 600)
            let second = try await open(store, 2)
            // Nine and a half hours of ten have passed.
            try move("created_at", to: "-570 minutes")
            try move("seen_at", to: "-10 minutes")
            _ = try await Self.look(store, 2)
            try await Self.write(store)
            #expect(try lifetime(second).whole == 36_000)
        }
    }

    @Test("is not good any more when it has expired")
    func expired() async throws {
        try await withStore(database) { [self] store async throws in
            let browser = try #require(try await open(store, 1))
            let api = try #require(try await open(store, 2, .api))
            try move("expires_at", to: "-1 second")
            try move("seen_at", to: "-1 hour")
            #expect(try await Self.look(store, 1) == nil)
            guard case .unknown = try await Self.refresh(store, 2, to: 3) else {
                Issue.record("refreshed")
                return
            }
            #expect(try await store.bearer(userID: rob, sessionID: api) == nil)
            #expect(try await store.sessions(userID: rob).count == 0)
            let isOver: Bool = try session.query(
                "SELECT expires_at < now() FROM sessions WHERE id = $1", [.uuid(browser)])[0][0]
            #expect(isOver, "and is not renewed")
        }
    }

    @Test("of a browser is none of the API, and the other way round")
    func kinds() async throws {
        try await withStore(database) { [self] store async throws in
            _ = try await open(store, 1, .browser)
            _ = try await open(store, 2, .api)
            #expect(try await Self.look(store, 2) == nil)
            guard case .unknown = try await Self.refresh(store, 1, to: 3) else {
                Issue.record("a cookie was refreshed")
                return
            }
            #expect(try await Self.look(store, 1) != nil)
            guard case .refreshed = try await Self.refresh(store, 2, to: 3, family: 2) else {
                Issue.record("not refreshed")
                return
            }
        }
    }

    @Test("is none for the disabled, nor do they get one")
    func disabled() async throws {
        try await withStore(database) { [self] store async throws in
            _ = try await open(store, 1)
            let api = try await open(store, 2, .api)
            // Not by the command, which would end the sessions, too.
            try session.execute("UPDATE users SET disabled_at = now()")
            #expect(try await Self.look(store, 1) == nil)
            guard case .unknown = try await Self.refresh(store, 2, to: 3) else {
                Issue.record("refreshed")
                return
            }
            #expect(try await store.bearer(userID: rob, sessionID: api) == nil)
            #expect(try await store.bearer(userID: rob, sessionID: nil) == nil)
            #expect(try await open(store, 4) == nil)
            #expect(try await open(store, 5, by: Self.hash) == nil)
        }
    }

    @Test("ends when an operator disables the account, and stays ended")
    func disabledByOperator() async throws {
        try await withStore(database) { [self] store async throws in
            _ = try await open(store, 1)
            try database.setDisabled(true, rob)
            try database.setDisabled(false, rob)
            #expect(try await Self.look(store, 1) == nil)
            #expect(try await store.sessions(userID: rob).count == 0)
        }
    }

    @Test("is one of at most a hundred: the one that was not seen for longest ends")
    func bound() async throws {
        try await withStore(database) { [self] store async throws in
            for number in 0..<100 { #expect(try await open(store, number) != nil) }
            try session.query(
                """
                UPDATE sessions SET seen_at = now() - CASE WHEN token_hash = $1
                THEN interval '4 minutes' ELSE interval '3 minutes' END
                """, [.bytes(Self.token(42))])
            #expect(try await open(store, 100) != nil)
            #expect(try await store.sessions(userID: rob).count == 100)
            #expect(try await Self.look(store, 42) == nil)
            #expect(try await Self.look(store, 41) != nil)
            #expect(try await Self.look(store, 100) != nil)
        }
    }

    // MARK: Passwords

    @Test("opens by the password that was verified, and by none that has changed since")
    func password() async throws {
        try await withStore(database) { [self] store async throws in
            #expect(try await open(store, 1, by: Self.hash) != nil)
            #expect(try await open(store, 2, by: "$scrypt$other") == nil)
            for wrong in [
                try database.confirmation(rob, hash: "$scrypt$y"), Confirmation(userID: rob),
            ] {
                await #expect(throws: ConfirmationLapsedError.self) {
                    try await store.setPassword(hash: "$scrypt$x", confirmedBy: wrong)
                }
            }
            #expect(try await Self.look(store, 1) != nil, "nothing has changed")
            try await store.setPassword(
                hash: "$scrypt$x", confirmedBy: database.confirmation(rob, hash: Self.hash))
            #expect(try await Self.look(store, 1) == nil)
            #expect(try await open(store, 3, by: Self.hash) == nil)
            #expect(try await open(store, 4, by: "$scrypt$x") != nil)
            // The same password with other costs is no change of it.
            #expect(
                try await store.renewPasswordHash(
                    userID: rob, from: "$scrypt$x", to: "$scrypt$y"))
            #expect(try await Self.look(store, 4) != nil)
            #expect(
                try await !store.renewPasswordHash(
                    userID: rob, from: "$scrypt$x", to: "$scrypt$z"))
            #expect(try await store.credentials(userID: rob)?.passwordHash == "$scrypt$y")
        }
    }

    @Test("is never left open with an old password, whoever races")
    func passwordRace() async throws {
        try await withStore(database, connections: 12) { [self] store async throws in
            var old = Self.hash
            for round in 1...12 {
                let current = old
                let next = "$scrypt$round-\(round)"
                try await withThrowingTaskGroup { group in
                    for number in 0..<10 {
                        group.addTask {
                            _ = try await open(store, round * 100 + number, by: current)
                        }
                        if number == 4 {
                            group.addTask { () async throws in
                                try await store.setPassword(
                                    hash: next,
                                    confirmedBy: database.confirmation(rob, hash: current))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await store.sessions(userID: rob).count == 0)
                old = next
            }
            #expect(try await open(store, 1, by: old) != nil)
        }
    }

    @Test("that opens while an operator sets the password waits, and then does not")
    func operatorRace() async throws {
        let changing = try database.session()
        try changing.execute("BEGIN")
        try changing.query(Users.lock.sql, [.uuid(rob)])
        try changing.query(Passwords.set.sql, [.uuid(rob), .text("$scrypt$new")])
        async let opening: Void = withStore(database) { [self] store async throws in
            #expect(try await open(store, 1) == nil)
        }
        let watcher = try database.session()
        try await eventually {
            try watcher.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = $1 AND wait_event_type = 'Lock'
                """, [.text(database.name)]
            ).count == 1
        }
        try changing.execute("COMMIT")
        try await opening
        #expect(try watcher.query("SELECT count(*) FROM sessions")[0][0] == 0)
    }

    // MARK: The API

    @Test("of the API exchanges its token for the next one, and ends when an old one comes")
    func refreshing() async throws {
        try await withStore(database) { [self] store async throws in
            let id = try #require(try await open(store, 1, .api))
            for number in 1...3 {
                guard
                    case .refreshed(let open) = try await Self.refresh(
                        store, number, to: number + 1)
                else {
                    Issue.record("not refreshed")
                    return
                }
                #expect(open.id == id)
                #expect(open.user.id == rob)
            }
            #expect(try await store.bearer(userID: rob, sessionID: id)?.id == rob)
            guard case .wasSpent(let ended) = try await Self.refresh(store, 2, to: 9) else {
                Issue.record("an old token did not end the session")
                return
            }
            #expect(ended == id)
            #expect(try await store.bearer(userID: rob, sessionID: id) == nil)
            for number in [4, 1, 2, 9] {
                guard case .unknown = try await Self.refresh(store, number, to: 10) else {
                    Issue.record("\(number) is still good for something")
                    return
                }
            }
        }
    }

    @Test("of the API lasts longer with every exchange, but not for ever")
    func refreshedExpiry() async throws {
        try await withStore(database) { [self] store async throws in
            let id = try await open(store, 1, .api)
            try move("expires_at", to: "30 minutes")
            try move("seen_at", to: "-1 hour")
            _ = try await Self.refresh(store, 1, to: 2)
            #expect(try lifetime(id).idle == 3600)
            try move("created_at", to: "-570 minutes")
            _ = try await Self.refresh(store, 2, to: 3)
            #expect(try lifetime(id).whole == 36_000)
        }
    }

    @Test("of the API ends when two come with one token at once, of whom one is served at most")
    func refreshRace() async throws {
        try await withStore(database, connections: 8) { [self] store async throws in
            for round in 1...15 {
                let first = round * 100
                let id = try #require(try await open(store, first, .api))
                let refreshed = Counter()
                try await withThrowingTaskGroup { group in
                    for number in 1...4 {
                        group.addTask {
                            let outcome = try await Self.refresh(
                                store, first, to: first + number, family: first)
                            if case .refreshed = outcome { refreshed.increment() }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(refreshed.value == 1)
                #expect(try await store.bearer(userID: rob, sessionID: id) == nil)
            }
            #expect(try await store.sessions(userID: rob).count == 0)
        }
    }

    @Test("that a token names must be there, and its own user's")
    func bearer() async throws {
        let ada = try database.makeUser("ada")
        try await withStore(database) { [self] store async throws in
            let id = try #require(try await open(store, 1, .api))
            #expect(try await store.bearer(userID: rob, sessionID: id)?.username == "rob")
            #expect(try await store.bearer(userID: rob, sessionID: nil)?.username == "rob")
            #expect(try await store.bearer(userID: ada, sessionID: id) == nil)
            #expect(try await store.bearer(userID: rob, sessionID: UUID()) == nil)
            try await store.endSession(id: id)
            #expect(try await store.bearer(userID: rob, sessionID: id) == nil)
            #expect(try await store.deleteUser(id: rob))
            #expect(try await store.bearer(userID: rob, sessionID: nil) == nil)
        }
    }

    // MARK: Cleaning up

    @Test("is deleted when it has expired, and nothing that has not")
    func deletion() async throws {
        let limit = AttemptLimit(10, per: .seconds(1_000_000))
        try await withStore(database) { [self] store async throws in
            for number in 1...3 { _ = try await open(store, number) }
            _ = try await open(store, 4, .api)
            for key in ["a", "b"] { _ = try await store.attempt(key, limit: limit) }
            try session.execute(
                """
                INSERT INTO retired_identities
                VALUES ('\\x01', now() - interval '91 days'), ('\\x02', now())
                """)
            #expect(try await !Self.deleteExpired(store, [.sessions, .attempts]))
            #expect(try rowCounts() == [4, 2, 2])
            try session.query(
                "UPDATE sessions SET expires_at = now() - interval '1 s' WHERE token_hash = $1",
                [.bytes(Self.token(1))])
            try session.execute(
                "UPDATE attempts SET empty_at = now() - interval '1 second' WHERE key = 'a'")
            #expect(try await !Self.deleteExpired(store, ExpiringData.all))
            #expect(try rowCounts() == [3, 1, 1])
            #expect(try await Self.look(store, 2) != nil)
            #expect(try session.query("SELECT key FROM attempts")[0][0] == "b")
        }
    }

    /// - Returns: Whether there may be more of anything.
    private static func deleteExpired(
        _ store: Store, _ kinds: [ExpiringData]
    ) async throws -> Bool {
        var mayBeMore = false
        for kind in kinds where try await store.deleteExpired(kind) { mayBeMore = true }
        return mayBeMore
    }

    private func rowCounts() throws -> [Int] {
        let session = try session
        return try ["sessions", "retired_identities", "attempts"].map {
            try session.query("SELECT count(*) FROM \($0)")[0][0]
        }
    }

    @Test("is deleted with others, a bounded number at a time")
    func deletionInBatches() async throws {
        try session.execute(
            """
            INSERT INTO attempts SELECT 'key ' || n, now() - interval '1 hour'
            FROM generate_series(1, 1500) n
            """)
        try await withStore(database) { [self] store async throws in
            #expect(try await store.deleteExpired(.attempts))
            #expect(try rowCounts()[2] == 500)
            #expect(try await !store.deleteExpired(.attempts))
            #expect(try rowCounts()[2] == 0)
        }
    }
}
