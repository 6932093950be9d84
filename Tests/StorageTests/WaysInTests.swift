import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Someone with a stolen session, the old password or an old way in writes all the time, while the
/// owner gets back in.
@Suite("Someone who gets back in", .blocking)
struct WaysInTests {
    /// What an intruder tries to leave behind.
    enum Attempt: String, CaseIterable, Sendable {
        case token, passkey, codes, identity, pendingAddress, feed
        case invitation, circleInvitation, webhook
        case passwordSession, identitySession, passkeySession
        case confirmedAddress, resetLink

        /// Whether the owner comes by a recovery code, which removes the address of mail, too.
        var isAfterAddress: Bool { self == .confirmedAddress || self == .resetLink }
    }

    private static let rounds = 40
    private static let intruders = 6
    private static let old = "$scrypt$old"
    private static let lifetime = SessionLifetime(idle: .seconds(3600), absolute: .seconds(3600))
    private static let evil = MailAddress("evil@mail.example")

    /// Tables whose rows let someone in, or tell someone what only the account's owner may know; with how
    /// their rows belong to the user `$1`.
    private static let ways = [
        "sessions": "user_id", "personal_tokens": "user_id", "passkeys": "user_id",
        "recovery_codes": "user_id", "identities": "user_id", "mail_verifications": "user_id",
        "follow_feeds": "user_id", "password_resets": "user_id", "known_devices": "user_id",
        "invitations": "user_id", "circle_webhooks": "owner_id", "apps": "user_id",
        "circle_invitations": """
        (SELECT m.user_id FROM circle_members m
         WHERE m.circle_id = circle_invitations.circle_id AND m.owned IS NOT NULL)
        """,
    ]

    /// The other tables with something of users or with secrets, and why they give nothing away.
    private static let others = [
        "passwords": "it is the new one",
        "mail_addresses": "removed, unless the owner got back in with it",
        "former_usernames": "everyone may know them",
        "lists": "the list is the owner's, whoever changed it",
        "snapshots": "the same", "hearts": "shown to everyone", "follows": "tell only their owner",
        "blocks": "tell only their owner", "circle_members": "each joined by a link, which is gone",
        "outgoing_mail": "goes to the owner's address, or confirms one that is gone",
        "outgoing_webhooks": "goes with its webhook", "cases": "for moderators",
        "reports": "for moderators", "moderation_actions": "for moderators",
        "imports": "read with a session", "idempotency_records": "read with a session",
        "administrator_links": "made by the operator", "signing_keys": "the site's",
        "retired_usernames": "keeps others from taking names",
        "retired_identities": "keeps tokens from working", "used_challenges": "the same",
        "news_visits": "tell only their owner", "drafts": "of people without an account",
    ]

    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    /// An account with everything that lets someone in.
    private struct Account: Sendable {
        let id: UUID
        let session: UUID
        let passkey: UUID
        let confirmation: Confirmation
        let circle: UUID
        let link = Self.secret()

        static func secret() -> [UInt8] { (0..<32).map { _ in .random(in: 0...255) } }
    }

    private func makeAccount(_ name: String, pending: [UInt8]) throws -> Account {
        let session = try database.session()
        let user = try database.makeUser(name)
        let opened: UUID = try session.query(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            VALUES ($1, 'browser', $2, now() + interval '1 hour') RETURNING id
            """, [.uuid(user), .bytes(Account.secret())])[0][0]
        let passkey: UUID = try session.query(
            """
            INSERT INTO passkeys (user_id, credential_id, public_key, counter, name)
            VALUES ($1, $2, '\\x01', 0, 'Phone') RETURNING id
            """, [.uuid(user), .bytes(Account.secret())])[0][0]
        try session.query(
            """
            INSERT INTO personal_tokens (user_id, token_hash, name, scopes)
            VALUES ($1, $2, 'Script', '{read}')
            """, [.uuid(user), .bytes(Account.secret())])
        for (table, columns) in [
            ("passwords (user_id, hash)", "'\(Self.old)'"),
            ("identities (user_id, issuer, subject)", "'https://id.example', '\(name)'"),
            ("mail_addresses (user_id, address, canonical)", "'o@mail.example', 'o@mail.example'"),
        ] {
            try session.query("INSERT INTO \(table) VALUES ($1, \(columns))", [.uuid(user)])
        }
        try session.query(
            """
            INSERT INTO mail_verifications (user_id, address, canonical, token_hashes, expires_at)
            VALUES ($1, 'evil@mail.example', 'evil@mail.example', ARRAY[$2::bytea],
                    now() + interval '1 hour')
            """, [.uuid(user), .bytes(pending)])
        let circle: UUID = try session.query(
            "SELECT make_circle($1, 'Club', '', 'members')", [.uuid(user)])[0][0]
        let account = Account(
            id: user, session: opened, passkey: passkey,
            confirmation: try database.confirmation(user, opened, hash: Self.old), circle: circle)
        try session.query(
            "SELECT set_circle_webhook($1, $2, 'https://hooks.example/x', $3)",
            [.uuid(circle), .uuid(user), .bytes(Account.secret())])
        try session.query(
            "SELECT make_circle_invitation($1, $2, $3, 5, 7, 10)",
            [.uuid(circle), .uuid(user), .bytes(Account.secret())])
        try session.query("DELETE FROM outgoing_mail")
        try session.query(
            """
            INSERT INTO apps (user_id, name, address, redirects)
            VALUES ($1, 'Shelf', 'https://shelf.example', '{https://shelf.example/}')
            """, [.uuid(user)])
        for (table, columns) in [
            ("invitations (user_id, token_hash, uses, uses_left, expires_at)", "5, 5, 'infinity'"),
            ("known_devices (user_id, token_hash, seen_at)", "now()"),
            ("follow_feeds (user_id, token_hash, made_at)", "now()"),
        ] {
            try session.query(
                "INSERT INTO \(table) VALUES ($1, $2, \(columns))",
                [.uuid(user), .bytes(Account.secret())])
        }
        try session.query(
            "INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)",
            [.uuid(user), .bytes(account.link)])
        try session.query(
            """
            INSERT INTO password_resets (user_id, token_hash, by_mail, expires_at)
            VALUES ($1, $2, true, now() + interval '1 hour')
            """, [.uuid(user), .bytes(account.link)])
        return account
    }

    private static func attempt(
        _ what: Attempt, _ account: Account, _ name: String, _ pending: [UInt8], _ store: Store
    ) async throws {
        func open(_ means: SignInMeans) async throws {
            _ = try await store.openSession(
                .browser, userID: account.id, tokenHash: Account.secret(), by: means,
                lifetime: lifetime)
        }
        let confirmation = account.confirmation
        // A request with the session.
        let reader = Viewer()
        reader.came(with: account.session)
        let store = store.reading(.anew, for: reader)
        switch what {
        case .token:
            _ = try await store.makePersonalToken(
                tokenHash: Account.secret(), name: "Evil", scopes: [.account], days: nil,
                limit: 1000, confirmedBy: confirmation)
        case .passkey:
            _ = try await store.addPasskey(
                credentialID: Account.secret(), publicKey: [1], counter: 0, name: "Evil",
                limit: 1000, confirmedBy: confirmation)
        case .codes:
            try await store.replaceRecoveryCodes(
                hashes: [Account.secret()], confirmedBy: confirmation)
        case .identity:
            _ = try await store.link(
                issuer: "https://evil.example", subject: UUID().uuidString,
                confirmedBy: confirmation)
        case .pendingAddress:
            try await store.addMailAddress(
                try #require(evil), hours: 24, confirmedBy: confirmation)
        case .feed:
            _ = try await store.makeFollowFeed(
                of: account.id, in: account.session, tokenHash: Account.secret())
        case .invitation:
            _ = try await store.makeInvitation(
                userID: account.id, tokenHash: Account.secret(), uses: 9, days: 9, limit: 1000)
        case .circleInvitation:
            do {
                _ = try await store.makeInvitation(
                    toCircle: account.circle, by: account.id, tokenHash: Account.secret(), uses: 9,
                    days: 9)
            } catch CircleError.notFound, CircleError.tooManyInvitations {}
        case .webhook:
            do {
                try await store.setWebhook(
                    ofCircle: account.circle, by: account.id,
                    address: "https://evil.example/x",
                    secret: Account.secret())
            } catch CircleError.notFound {}
        case .passwordSession: try await open(.password(hash: old))
        case .identitySession:
            try await open(.identity(issuer: "https://id.example", subject: name))
        case .passkeySession: try await open(.passkey(id: account.passkey))
        case .confirmedAddress: _ = try await store.confirmMailAddress(tokenHash: pending)
        case .resetLink:
            _ = try await store.addReset(
                to: MailRecipient(
                    userID: account.id, username: name,
                    address: try #require(MailAddress("o@mail.example"))),
                tokenHash: Account.secret(), lifetime: 3600)
        }
    }

    @Test(
        "leaves nobody else a way in, whoever writes one at that moment",
        arguments: Attempt.allCases)
    func race(_ what: Attempt) async throws {
        let attempts = Counter()
        try await withStores(2, database, connections: Self.intruders) { [self] loop, store in
            for round in 0..<(Self.rounds / 2) {
                let name = "rob-\(loop)-\(round)"
                let pending = Account.secret()
                let account = try makeAccount(name, pending: pending)
                let tried = Counter()
                let recovered = Counter()
                try await withThrowingTaskGroup { group in
                    for _ in 0..<(Self.intruders - 1) {
                        group.addTask {
                            // Some come when it is over.
                            for _ in 0..<400 where recovered.value < 3 {
                                if recovered.value > 0 { recovered.increment() }
                                tried.increment()
                                attempts.increment()
                                do {
                                    try await Self.attempt(what, account, name, pending, store)
                                } catch is ConfirmationLapsedError {}
                            }
                        }
                    }
                    group.addTask {
                        let start = Int.random(in: 0..<10)
                        try await eventually { tried.value > start }
                        let isIn =
                            what.isAfterAddress
                            ? try await store.recover(
                                userID: account.id, codeHash: account.link,
                                passwordHash: "$scrypt$new")
                            : try await store.reset(
                                userID: account.id, tokenHash: account.link,
                                passwordHash: "$scrypt$new")
                        #expect(isIn)
                        recovered.increment()
                    }
                    try await group.waitForAll()
                }
                try await expectNoWayIn(account, store, keepsAddress: !what.isAfterAddress)
            }
        }
        #expect(attempts.value > Self.rounds * 5)
    }

    private func expectNoWayIn(
        _ account: Account, _ store: Store, keepsAddress: Bool
    ) async throws {
        let session = try database.session()
        for (way, owner) in Self.ways {
            let count: Int = try session.query(
                "SELECT count(*) FROM \(way) WHERE \(owner) = $1", [.uuid(account.id)])[0][0]
            #expect(count == 0, "\(way)")
        }
        let address = try await store.mailAddresses(userID: account.id).verified
        #expect(address == (keepsAddress ? "o@mail.example" : nil))
        #expect(
            try await store.credentials(userID: account.id)?.passwordHash == "$scrypt$new")
    }

    @Test(
        "ends everything that someone with a session can leave, and what stays gives nothing away")
    func everything() async throws {
        let session = try database.session()
        // A new table with something of users, or with secrets, is either a way in or explained.
        let tables: [String] = try session.query(
            """
            SELECT array_agg(DISTINCT t) FROM (
                SELECT conrelid::regclass::text FROM pg_constraint
                WHERE contype = 'f' AND confrelid IN ('users'::regclass, 'circle_webhooks'::regclass)
                UNION ALL
                SELECT table_name FROM information_schema.columns
                WHERE table_schema = 'public'
                  AND column_name ~ '(hash|hashes|secret|digest|private_key|address)$'
            ) tables (t)
            """)[0][0]
        #expect(Set(tables) == Set(Self.ways.keys).union(Self.others.keys))
        let account = try makeAccount("rob", pending: Account.secret())
        for (way, owner) in Self.ways {
            let count: Int = try session.query(
                "SELECT count(*) FROM \(way) WHERE \(owner) = $1", [.uuid(account.id)])[0][0]
            #expect(count > 0, "\(way) was not tried")
        }
        let other = try makeAccount("eve", pending: Account.secret())
        try await withStore(database) { [self] store async throws in
            #expect(
                try await store.reset(
                    userID: account.id, tokenHash: account.link, passwordHash: "$scrypt$new"))
            try await expectNoWayIn(account, store, keepsAddress: true)
            // Not those of others.
            for (way, owner) in Self.ways {
                let count: Int = try database.session().query(
                    "SELECT count(*) FROM \(way) WHERE \(owner) = $1", [.uuid(other.id)])[0][0]
                #expect(count > 0, "\(way)")
            }
        }
    }

    @Test("by an operator's password leaves no way in, either")
    func operatorsPassword() async throws {
        let account = try makeAccount("rob", pending: Account.secret())
        try await withStore(database) { [self] store async throws in
            try await store.setPassword(userID: account.id, hash: "$scrypt$new")
            try await expectNoWayIn(account, store, keepsAddress: false)
        }
    }

    // MARK: What a confirmation is worth

    private func expectLapsed(
        _ confirmation: Confirmation, _ store: Store, at location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await !store.holds(confirmation), sourceLocation: location)
        await #expect(throws: ConfirmationLapsedError.self, sourceLocation: location) {
            try await store.replaceRecoveryCodes(
                hashes: [Account.secret()], confirmedBy: confirmation)
        }
    }

    @Test("is believed with the password and in the session that confirmed it, and no others")
    func confirmations() async throws {
        let rob = try makeAccount("rob", pending: Account.secret())
        let eve = try makeAccount("eve", pending: Account.secret())
        try await withStore(database) { [self] store async throws in
            let session = try database.session()
            #expect(try await store.holds(rob.confirmation))
            let digest = rob.confirmation.passwordDigest
            for wrong in [
                Confirmation(userID: rob.id, sessionID: eve.session, passwordDigest: digest),
                Confirmation(userID: rob.id, sessionID: UUID(), passwordDigest: digest),
                Confirmation(userID: rob.id, sessionID: rob.session),
                Confirmation(userID: UUID(), sessionID: rob.session, passwordDigest: digest),
                Confirmation(
                    userID: rob.id, sessionID: rob.session, passwordDigest: Account.secret()),
            ] { try await expectLapsed(wrong, store) }
            for (change, back) in [
                ("users SET disabled_at = now()", "users SET disabled_at = NULL"),
                ("sessions SET expires_at = now()", "sessions SET expires_at = 'infinity'"),
                ("passwords SET hash = '$scrypt$x'", "passwords SET hash = '\(Self.old)'"),
            ] {
                try session.execute("UPDATE \(change)")
                try await expectLapsed(rob.confirmation, store)
                try session.execute("UPDATE \(back)")
                #expect(try await store.holds(rob.confirmation))
            }
            try await store.endSession(id: rob.session)
            try await expectLapsed(rob.confirmation, store)
        }
    }

    @Test("is believed for ten minutes after a sign-in, without a password")
    func freshness() async throws {
        let rob = try makeAccount("rob", pending: Account.secret())
        try database.session().execute("DELETE FROM passwords")
        let confirmation = Confirmation(userID: rob.id, sessionID: rob.session)
        try await withStore(database) { [self] store async throws in
            let session = try database.session()
            try session.execute("UPDATE sessions SET created_at = now() - interval '590 seconds'")
            #expect(try await store.holds(confirmation))
            try session.execute("UPDATE sessions SET created_at = now() - interval '601 seconds'")
            try await expectLapsed(confirmation, store)
            try session.execute(
                "INSERT INTO passwords (user_id, hash) SELECT id, '\(Self.old)' FROM users")
            #expect(try await store.holds(rob.confirmation), "a password is always fresh")
        }
    }

    // MARK: Mail

    @Test("reads of each change in the mail, also at the address that was removed")
    func notices() async throws {
        @Sendable func told() throws -> [String] {
            try database.session().query(
                """
                WITH told AS (DELETE FROM outgoing_mail RETURNING kind, subject)
                SELECT coalesce(array_agg(kind || ' ' || subject ORDER BY kind), '{}') FROM told
                """)[0][0]
        }
        let rob = try makeAccount("rob", pending: Account.secret())
        try await withStore(database) { store async throws in
            for attempt in [Attempt.token, .passkey, .codes, .identity, .webhook] {
                try await Self.attempt(attempt, rob, "rob", [], store)
            }
            let kinds = ["codes", "identity-added", "passkey-added", "token-added", "webhook"]
            #expect(try told() == kinds.map { "\($0) o@mail.example" })
            let identity = try #require(try await store.identities(userID: rob.id).first)
            #expect(
                try await store.unlink(
                    userID: rob.id, identityID: identity.id, countsPassword: true, issuers: []))
            #expect(
                try await store.removePasskey(
                    id: rob.passkey, of: rob.id, countsPassword: true, issuers: []))
            let removed = ["identity-removed", "passkey-removed"]
            #expect(try told() == removed.map { "\($0) o@mail.example" })
            try await store.setPassword(hash: "$scrypt$x", confirmedBy: rob.confirmation)
            #expect(try told() == ["password o@mail.example"])
        }
        for (number, way) in [
            "reset", "link", "code", "operator", "removal", "deletion", "removal and deletion",
        ].enumerated() {
            let name = "rob-\(number)"
            let account = try makeAccount(name, pending: Account.secret())
            try await withStore(database) { store async throws in
                switch way {
                case "reset", "link":
                    // What an operator gives someone proves nothing about the address.
                    try database.session().query(
                        "UPDATE password_resets SET by_mail = $1", [.bool(way == "reset")])
                    #expect(
                        try await store.reset(
                            userID: account.id, tokenHash: account.link, passwordHash: "$scrypt$y"))
                case "code":
                    #expect(
                        try await store.recover(
                            userID: account.id, codeHash: account.link, passwordHash: "$scrypt$y"))
                case "operator":
                    try await store.setPassword(userID: account.id, hash: "$scrypt$y")
                case "removal":
                    try await store.removeMailAddress(confirmedBy: account.confirmation)
                case "removal and deletion":
                    try await store.removeMailAddress(confirmedBy: account.confirmation)
                    try await store.deleteUser(confirmedBy: account.confirmation)
                default: try await store.deleteUser(confirmedBy: account.confirmation)
                }
            }
            let kinds =
                switch way {
                case "reset": ["password"]
                case "removal", "removal and deletion": ["address"]
                case "deletion": ["deleted"]
                default: ["address", "password"]
                }
            #expect(try told() == kinds.map { "\($0) o@mail.example" }, "\(way)")
        }
    }
}
