import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Who may see a list, and what of it counts.
@Suite("A list's visibility", .blocking)
struct VisibilityTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private let rob: UUID
    private let ada: UUID
    private let games: [Int]

    /// Ada's list is public throughout; Rob's has the first of her games, too.
    init() throws {
        database = try TestDatabase()
        session = try database.session()
        rob = try database.makeUser("rob")
        ada = try database.makeUser("ada")
        games = try database.games(on: [ps4, pc], 6)
        try database.insert([games[0], games[1]], for: rob, comment: "Rob says so.")
        try database.insert([games[0], games[2]], for: ada, comment: "Ada says so.")
    }

    /// Of the game that both have, and of the one that only Rob has.
    private func counts() throws -> [Int] {
        #expect(try database.brokenRules() == [])
        return [try database.count(of: games[0]), try database.count(of: games[1])]
    }

    // MARK: Counts

    @Test("moves counts with every change of it", arguments: Visibility.allCases)
    func counts(first: Visibility) throws {
        for next in [first] + Visibility.allCases + Visibility.allCases.reversed() {
            try database.set(next, of: rob)
            #expect(try counts() == (next == .private ? [1, 0] : [2, 1]), "\(next)")
            #expect(try database.count(of: games[2]) == 1)
        }
    }

    @Test("moves counts in the transaction that changes it")
    func sameTransaction() throws {
        try session.execute("BEGIN")
        try session.execute("UPDATE users SET visibility = 'private' WHERE username = 'rob'")
        #expect(
            try session.query(
                "SELECT sum(count) FROM included_by WHERE count > 0")[0][0] as Int == 2)
        #expect(try counts() == [2, 1], "another connection sees nothing of it yet")
        try session.execute("ROLLBACK")
        #expect(try counts() == [2, 1])
    }

    @Test("of many in one statement moves the counts of all")
    func manyAtOnce() throws {
        let others = try (0..<10).map { try database.makeUser("user-\($0)") }
        for other in others { try database.insert(games, five: other) }
        #expect(try counts() == [12, 11])
        try session.execute("UPDATE users SET visibility = 'private'")
        #expect(try counts() == [0, 0])
        try session.execute(
            "UPDATE users SET visibility = 'unlisted' WHERE username LIKE 'user-%'")
        #expect(try counts() == [10, 10])
        try session.execute(
            "UPDATE users SET visibility = CASE visibility WHEN 'private' THEN 'public' ELSE 'private' END"
        )
        #expect(try counts() == [2, 1])
    }

    @Test("is hidden while the account is disabled, and what it was before afterwards")
    func disabling() throws {
        for visibility in Visibility.allCases {
            try database.set(visibility, of: rob)
            let before = try counts()
            try database.setDisabled(true, rob)
            #expect(try counts() == [1, 0])
            try database.setDisabled(false, rob)
            #expect(try counts() == before)
        }
        #expect(try counts() == [1, 0], "private, and enabled again")
        try database.setDisabled(true, rob)
        try database.set(.public, of: rob)
        #expect(try counts() == [1, 0], "public, and disabled")
        try database.setDisabled(false, rob)
        #expect(try counts() == [2, 1])
    }

    @Test("holds for what is added to the list, by whatever program")
    func addedLater() async throws {
        try database.set(.private, of: rob)
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id) VALUES ($1, 3, $2, 48)
            """, [.uuid(rob), .int(games[3])])
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, audience)
            VALUES ($1, 4, $2, 48, 'public')
            """, [.uuid(rob), .int(games[4])])
        #expect(try database.count(of: games[3]) == 0)
        #expect(try database.count(of: games[4]) == 0, "saying otherwise does not help")
        #expect(try counts() == [1, 0])
        try await withStore(database) { [games, rob] store async throws in
            _ = try await store.put([Pick(game: games[5], platform: ps4)], for: rob)
        }
        #expect(try database.count(of: games[5]) == 0)
        #expect(try counts() == [1, 0])
        try database.set(.unlisted, of: rob)
        #expect(try counts() == [1, 0])
        #expect(try database.count(of: games[5]) == 1)
    }

    @Test("holds for what is changed and removed while it is hidden")
    func changedWhileHidden() throws {
        try database.set(.private, of: rob)
        try session.query(
            "UPDATE entries SET game_id = $2 WHERE user_id = $1 AND position = 1",
            [.uuid(rob), .int(games[3])])
        try session.query(
            "DELETE FROM entries WHERE user_id = $1 AND position = 2", [.uuid(rob)])
        #expect(try counts() == [1, 0])
        #expect(try database.count(of: games[3]) == 0)
        try database.set(.public, of: rob)
        #expect(try counts() == [1, 0])
        #expect(try database.count(of: games[3]) == 1)
    }

    @Test("leaves right counts when the user is deleted", arguments: Visibility.allCases)
    func deletion(visibility: Visibility) async throws {
        try database.set(visibility, of: rob)
        try await withStore(database) { [rob] store async throws in
            #expect(try await store.deleteUser(id: rob))
            #expect(try await !store.deleteUser(id: rob))
        }
        #expect(try counts() == [1, 0])
        #expect(try session.query("SELECT count(*) FROM entries")[0][0] == 2)
    }

    @Test("leaves right counts when a disabled user is deleted")
    func deletionOfDisabled() async throws {
        try database.setDisabled(true, rob)
        try await withStore(database) { [rob] in try await $0.deleteAccount(userID: rob) }
        #expect(try counts() == [1, 0])
    }

    @Test("is one of three")
    func others() throws {
        let error = #expect(throws: PostgresError.self) {
            try session.execute("UPDATE users SET visibility = 'hidden'")
        }
        #expect(error?.constraint == "users_visibility_check")
    }

    // MARK: Where it shows

    /// Where Rob's name is shown to everybody.
    private func places() async throws -> [String] {
        try await withStore(database) { [games] store async throws in
            var places: [String] = []
            let search = try #require(SearchText("rob"))
            let short = try #require(SearchText("ro"))
            let ranking = try await store.ranking(platform: ps4, limit: 20, quotes: 5)
            let names = [
                "quotes": ranking.games.flatMap(\.quotes).map(\.username),
                "inclusions": try await store.inclusions(
                    game: games[0], platform: ps4, limit: 10
                ).entries.map(\.username),
                "inclusions anywhere": try await store.inclusions(
                    game: games[0], platform: nil, limit: 10
                ).entries.map(\.username),
                "recent": try await store.recentLists(limit: 10).lists.map(\.owner.username),
                "search": try await store.users(matching: search, limit: 10).map(\.username),
                "short search": try await store.users(matching: short, limit: 10).map(\.username),
            ]
            for (place, names) in names where names.contains("rob") { places.append(place) }
            let isFound = try await store.user(username: "rob", seenBy: nil) != nil
            let hasList = try await store.list(username: "rob", seenBy: nil) != nil
            #expect(isFound == hasList)
            if isFound { places.append("link") }
            return places.sorted()
        }
    }

    @Test("decides where it stands by name")
    func shown() async throws {
        #expect(
            try await places() == [
                "inclusions", "inclusions anywhere", "link", "quotes", "recent", "search",
                "short search",
            ])
        try database.set(.unlisted, of: rob)
        #expect(try await places() == ["link"])
        try database.set(.private, of: rob)
        #expect(try await places() == [])
        try database.set(.public, of: rob)
        #expect(try await places().count == 7)
        try database.setDisabled(true, rob)
        #expect(try await places() == [])
    }

    @Test("that is private shows the list to its owner, and to nobody else")
    func owner() async throws {
        try database.set(.private, of: rob)
        try await withStore(database) { [rob, ada, games] store async throws in
            #expect(try await store.user(username: "rob", seenBy: rob)?.visibility == .private)
            let list = try await store.list(username: "rob", seenBy: rob)
            #expect(list?.entries.map(\.game.id) == [games[0], games[1]])
            for viewer in [nil, ada, UUID()] {
                #expect(try await store.user(username: "rob", seenBy: viewer) == nil)
                #expect(try await store.list(username: "rob", seenBy: viewer) == nil)
            }
        }
        // Not even to the owner, whose sessions have ended.
        try database.setDisabled(true, rob)
        try await withStore(database) { [rob] store async throws in
            #expect(try await store.user(username: "rob", seenBy: rob) == nil)
            #expect(try await store.list(username: "rob", seenBy: rob) == nil)
        }
    }

    @Test("is no change of the list: neither its version nor its time")
    func noChangeOfTheList() async throws {
        func rows() throws -> [String] {
            try session.query(
                """
                SELECT array_agg(concat_ws(' ', user_id, version, updated_at) ORDER BY user_id)
                FROM lists
                """)[0][0]
        }
        func entries() throws -> [String] {
            try session.query(
                "SELECT array_agg(concat_ws(' ', id, updated_at) ORDER BY id) FROM entries")[0][0]
        }
        func recent() async throws -> [String] {
            try await withStore(database) { store async throws in
                try await store.recentLists(limit: 10).lists.map(\.owner.username)
            }
        }
        let before = (try rows(), try entries())
        #expect(try await recent() == ["ada", "rob"])
        for visibility in [Visibility.unlisted, .private, .public] {
            try database.set(visibility, of: rob)
            #expect(try rows() == before.0)
            #expect(try entries() == before.1)
        }
        try database.setDisabled(true, rob)
        try database.setDisabled(false, rob)
        #expect(try rows() == before.0)
        #expect(try await recent() == ["ada", "rob"])
    }

    @Test("changes with the rest of what is known of a user, or nothing does")
    func profile() async throws {
        try await withStore(database) { [rob] store async throws in
            let changed = try await store.change(
                userID: rob,
                ProfileChanges(
                    username: Username("robert"), displayName: DisplayName("Robert"),
                    bio: Bio("Plays."), visibility: .private))
            #expect(changed?.username == "robert")
            #expect(changed?.displayName == "Robert")
            #expect(changed?.bio == "Plays.")
            #expect(changed?.visibility == .private)
            #expect(try await store.user(id: rob) == changed)
            await #expect(throws: UsernameTakenError.self) {
                try await store.change(
                    userID: rob,
                    ProfileChanges(username: Username("ada"), bio: Bio("x"), visibility: .public))
            }
            #expect(try await store.user(id: rob) == changed)
            #expect(try await store.change(userID: rob, ProfileChanges()) == changed)
            let emptied = try await store.change(userID: rob, ProfileChanges(bio: Bio("")))
            #expect(emptied?.bio == "")
            #expect(
                try await store.change(userID: UUID(), ProfileChanges(visibility: .public)) == nil)
        }
        #expect(try counts() == [1, 0])
    }
}

extension TestDatabase {
    fileprivate func insert(_ games: [Int], five user: UUID) throws {
        try insert(Array(games.prefix(5)), for: user)
    }
}
