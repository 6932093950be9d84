import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A username that was left", .blocking)
struct FormerUsernameTests {
    private let database: TestDatabase
    private let rob: UUID

    init() throws {
        database = try TestDatabase(.migrated)
        rob = try database.makeUser("rob")
    }

    private var session: BlockingSession { get throws { try database.session() } }

    private func rename(_ user: UUID, to name: String) throws {
        let username: Username = try #require(Username(name))
        let changes = ProfileChanges(username: username)
        _ = try session.query(Users.change, changes.parameters(of: user))
    }

    private func passDays(_ days: Int) throws {
        try session.execute(
            """
            UPDATE former_usernames SET left_at = left_at - interval '\(days) days';
            UPDATE retired_usernames SET retired_at = retired_at - interval '\(days) days'
            """)
    }

    /// Tries every way to get a username.
    private func take(_ name: String, _ how: String) async throws -> Bool {
        let wanted = try #require(Username(name))
        return try await withStore(database) { store async throws in
            switch how {
            case "sign-up":
                return try await store.makeUser(username: wanted, passwordHash: "$scrypt$x") != nil
            case "provider":
                return try await store.makeUser(
                    issuer: "https://id.example", subject: "1", username: wanted, displayName: "X",
                    visibility: .public) != nil
            default:
                let taker = try database.makeUser(
                    "taker-\(UUID().text.prefix(12))")
                do {
                    _ = try await store.change(userID: taker, ProfileChanges(username: wanted))
                } catch is UsernameTakenError {
                    return false
                }
                return true
            }
        }
    }

    private static let ways = ["sign-up", "provider", "rename"]

    @Test(
        "can't be taken by anyone else for 90 days, nor can one that looks like it", arguments: ways
    )
    func reserved(how: String) async throws {
        try rename(rob, to: "robert")
        try passDays(89)
        let name = try #require(Username("rob"))
        for name in ["rob", "r0b"] {
            #expect(try await !take(name, how))
        }
        #expect(try await successor(of: "rob") == "robert")
        #expect(try await withStore(database) { try await !$0.isFree(name) })
        try passDays(2)
        #expect(try await withStore(database) { try await $0.isFree(name) })
        #expect(try await take("rob", how))
    }

    @Test(
        "of a deleted account, and its former ones, can't be taken by anyone for 90 days",
        arguments: ways)
    func retired(how: String) async throws {
        try rename(rob, to: "robert")
        try await withStore(database) { [rob] in try await $0.deleteAccount(userID: rob) }
        try passDays(89)
        for name in ["rob", "r0b", "robert"] {
            #expect(try await !take(name, how))
        }
        // Only digests are stored.
        let stored = try session.query("SELECT r::text FROM retired_usernames r")
        for row in stored { #expect(try !(row[0] as String).contains("rob")) }
        try passDays(2)
        try await withStore(database) { _ = try await $0.maintain(.expire(.retiredUsernames)) }
        #expect(try session.query("SELECT count(*) FROM retired_usernames")[0][0] == 0)
        #expect(try await take("robert", how))
    }

    @Test("is not taken by someone who waits for the deletion of the account")
    func waiting() async throws {
        let name = try #require(Username("rob"))
        try await withStore(database) { store async throws in
            let other = try database.session()
            try other.execute("BEGIN; DELETE FROM users")
            async let user = store.makeUser(username: name, passwordHash: "$scrypt$x")
            try await eventually("the wait") {
                try session.query(
                    """
                    SELECT FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ).count > 0
            }
            try other.execute("COMMIT")
            #expect(try await user == nil)
        }
    }

    @Test("is anyone's once its user gives it up, or an operator frees it")
    func freed() async throws {
        try rename(rob, to: "robert")
        let name = try #require(Username("r0b"))
        try await withStore(database) { [rob] store async throws in
            try await store.giveUp(formerUsername: "rob", of: rob)
            #expect(try await store.isFree(name))
            try rename(rob, to: "bob")
            try await store.deleteAccount(userID: rob)
            for former in ["robert", "bob"] {
                let former = try #require(Username(former))
                #expect(try await !store.isFree(former))
                #expect(try await store.free(former))
                #expect(try await store.isFree(former))
                #expect(try await !store.free(former))
            }
        }
    }

    private func successor(of name: String) async throws -> String? {
        try await withStore(database) { try await $0.successor(ofUsername: name) }
    }

    @Test("leads to its user, wherever they go")
    func chain() async throws {
        #expect(try await successor(of: "rob") == nil)
        for name in ["robert", "bob", "bobby"] { try rename(rob, to: name) }
        for name in ["rob", "robert", "bob"] { #expect(try await successor(of: name) == "bobby") }
        for name in ["bobby", "ada"] { #expect(try await successor(of: name) == nil) }
    }

    @Test("leads nowhere while its user is private or disabled, and to the unlisted")
    func hidden() async throws {
        try rename(rob, to: "robert")
        try database.set(.private, of: rob)
        #expect(try await successor(of: "rob") == nil)
        try database.set(.unlisted, of: rob)
        #expect(try await successor(of: "rob") == "robert")
        try database.setDisabled(true, rob)
        #expect(try await successor(of: "rob") == nil)
        try database.setDisabled(false, rob)
        #expect(try await successor(of: "rob") == "robert")
    }

    @Test(
        "belongs to whoever takes it after 90 days, and leads to them when they leave it",
        arguments: ["sign-up", "provider", "rename", "bulk"])
    func taken(how: String) async throws {
        try rename(rob, to: "robert")
        try passDays(91)
        let name = try #require(Username("rob"))
        switch how {
        case "sign-up":
            try await withStore(database) { store async throws in
                #expect(try await store.isFree(name))
                #expect(
                    try await store.makeUser(username: name, passwordHash: "$scrypt$x") != nil)
            }
        case "provider":
            try await withStore(database) { store async throws in
                let user = try await store.makeUser(
                    issuer: "https://id.example", subject: "1"
                ) { Username.suggestion(from: "rob", attempt: $0) }
                #expect(user.username == "rob")
            }
        case "rename":
            try rename(try database.makeUser("other"), to: "rob")
            #expect(try await successor(of: "other") == "rob")
        default:
            let (users, _) = try BulkStore(session).load([
                ListSeed(username: "rob", displayName: "Rob", madeAt: Date(), entries: [])
            ])
            #expect(users == 1)
        }
        #expect(try await successor(of: "rob") == nil)
        let taker: UUID = try session.query("SELECT id FROM users WHERE username = 'rob'")[0][0]
        #expect(taker != rob)
        try rename(taker, to: "robin")
        #expect(try await successor(of: "rob") == "robin")
    }

    @Test("can be had back by its user")
    func thereAndBack() async throws {
        try rename(rob, to: "robert")
        try rename(rob, to: "rob")
        #expect(try await successor(of: "rob") == nil)
        #expect(try await successor(of: "robert") == "rob")
        try rename(rob, to: "robert")
        #expect(try await successor(of: "rob") == "robert")
        #expect(try await successor(of: "robert") == nil)
    }

    @Test("is no one's when two exchange theirs by way of a third")
    func exchange() async throws {
        let ada = try database.makeUser("ada")
        for (user, name) in [(rob, "third"), (ada, "rob"), (rob, "ada")] {
            try rename(user, to: name)
            try passDays(91)
        }
        for name in ["rob", "ada"] { #expect(try await successor(of: name) == nil) }
        #expect(try await successor(of: "third") == "ada")
        // In one statement PostgreSQL looks at each row by itself.
        let error = #expect(throws: PostgresError.self) {
            try session.execute(
                "UPDATE users SET username = CASE username WHEN 'rob' THEN 'ada' ELSE 'rob' END")
        }
        #expect(error?.sqlState == SQLState.uniqueViolation)
        #expect(try await successor(of: "third") == "ada")
    }

    @Test("is remembered with nine others of its user, the last ones left")
    func ten() async throws {
        for number in 1...12 { try rename(rob, to: "name-\(number)") }
        let left: [String] = try session.query(
            "SELECT array_agg(username ORDER BY left_at) FROM former_usernames")[0][0]
        #expect(left == (2...11).map { "name-\($0)" })
        #expect(try await successor(of: "rob") == nil)
        #expect(try await !take("rob", "sign-up"))
        #expect(try await !take("r0b", "rename"))
        #expect(try await successor(of: "name-2") == "name-12")
    }

    @Test("is nobody's any more when its user is deleted")
    func deleted() async throws {
        try rename(rob, to: "robert")
        try await withStore(database) { [rob] in try await $0.deleteAccount(userID: rob) }
        #expect(try await successor(of: "rob") == nil)
        #expect(try session.query("SELECT count(*) FROM former_usernames")[0][0] == 0)
    }

    @Test("comes only of a change: the same name leaves none")
    func unchanged() throws {
        try rename(rob, to: "rob")
        try session.execute("UPDATE users SET bio = 'x', username = username")
        #expect(try session.query("SELECT count(*) FROM former_usernames")[0][0] == 0)
    }
}

@Suite("Usernames that look alike", .blocking)
struct LookalikeRulesTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase(.migrated)
        session = try database.session()
    }

    private static let pairs = [
        ("rob", "r0b"), ("alice_1", "alice-l"), ("arnold", "amold"), ("vvv", "wv"),
        ("a-b", "a_b"), ("007", "oo7"), ("l1l", "1l1"), ("modern", "modem"),
    ]

    @Test("are refused at every door", arguments: pairs)
    func refused(first: String, second: String) async throws {
        for (taken, wanted) in [(first, second), (second, first)] {
            let taken = try #require(Username(taken))
            let wanted = try #require(Username(wanted))
            try session.execute("DELETE FROM users; DELETE FROM retired_usernames")
            let other = try database.makeUser("somebody-else")
            try await withStore(database) { store async throws in
                let hash = "$scrypt$x"
                let user = try await store.makeUser(username: taken, passwordHash: hash)
                let owner = try #require(user)
                for name in [taken, wanted] {
                    #expect(try await !store.isFree(name))
                    #expect(try await store.makeUser(username: name, passwordHash: hash) == nil)
                    await #expect(throws: UsernameTakenError.self) {
                        try await store.change(userID: other, ProfileChanges(username: name))
                    }
                }
                let provided = try await store.makeUser(
                    issuer: "https://id.example", subject: "1"
                ) { Username.suggestion(from: wanted.description, attempt: $0) }
                #expect(provided.username == "\(wanted)-2")
                // One's own look-alike is nobody else's.
                let renamed = try await store.change(
                    userID: owner.id, ProfileChanges(username: wanted))
                #expect(renamed?.username == wanted.description)
            }
        }
    }

    @Test("may stand beside each other when loaded in bulk, until they are renamed")
    func bulk() async throws {
        _ = try database.makeUser("rob")
        let seeds = ["r0b", "rob", "ada"].map {
            ListSeed(username: $0, displayName: $0, madeAt: Date(), entries: [])
        }
        #expect(try BulkStore(session).load(seeds).users == 2)
        let (rob, r0b) = (try #require(Username("rob")), try #require(Username("r0b")))
        let loaded: UUID = try session.query("SELECT id FROM users WHERE username = 'r0b'")[0][0]
        try await withStore(database) { store async throws in
            // As it is it may stay, but another name obeys the rule.
            for (name, isTaken) in [
                (r0b, false), (rob, true), (try #require(Username("robin")), false), (r0b, true),
            ] {
                let changes = ProfileChanges(username: name)
                guard isTaken else {
                    let user = try await store.change(userID: loaded, changes)
                    #expect(user?.username == name.description)
                    continue
                }
                await #expect(throws: UsernameTakenError.self) {
                    try await store.change(userID: loaded, changes)
                }
            }
        }
    }

    @Test("are the same to PostgreSQL as to the program")
    func sameRule() throws {
        var generator = SystemRandomNumberGenerator()
        // Few characters, so that pairs meet often.
        let alphabets = [Array("rnmvwlo01-_"), Array("abcdefghijklmnopqrstuvwxyz0123456789_-")]
        let names = (0..<4_000).map { number in
            String(
                (0..<Int.random(in: 2...30, using: &generator)).compactMap { _ in
                    alphabets[number % 2].randomElement(using: &generator)
                })
        }
        let rows = try session.query(
            """
            SELECT name, lookalike(name)
            FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place) ORDER BY place
            """, [.texts(names)])
        #expect(rows.count == names.count)
        for row in rows {
            let name: String = try row[0]
            #expect(try row[1] == Username(name)?.lookalike, "\(name)")
        }
    }

    @Test("go to one of twenty who sign up with them at once")
    func race() async throws {
        let names = ["arnold", "amold", "arno1d", "am0ld"]
        let winners = Counter()
        try await withStore(database, connections: 12) { store async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    let name = try #require(Username(names[number % names.count]))
                    group.addTask {
                        let user = try await store.makeUser(
                            username: name, passwordHash: "$scrypt$x")
                        if user != nil { winners.increment() }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(winners.value == 1)
        #expect(try session.query("SELECT count(*) FROM users")[0][0] == 1)
        #expect(try session.query("SELECT count(*) FROM passwords")[0][0] == 1)
    }

    @Test("go to one of ten who rename themselves to them at once")
    func renameRace() async throws {
        let users = try (0..<10).map { try database.makeUser("user-\($0)") }
        let winners = Counter()
        try await withStores(10, database, connections: 1) { number, store in
            let name = try #require(Username(number.isMultiple(of: 2) ? "rob" : "r0b"))
            do {
                _ = try await store.change(
                    userID: users[number], ProfileChanges(username: name))
                winners.increment()
            } catch is UsernameTakenError {}
        }
        #expect(winners.value == 1)
    }
}
