import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Following", .blocking)
struct FollowTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4], 5)
    }

    private func names(_ page: FollowedPeople) -> [String] { page.people.map(\.username) }

    @Test("is for others whose lists are public, and happens once")
    func adding() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        for (name, change) in [
            ("bo", "visibility = 'unlisted'"), ("cy", "visibility = 'private'"),
            ("di", "disabled_at = now()"), ("ed", "new_until = now() + interval '1 hour'"),
        ] {
            _ = try database.makeUser(name)
            try database.session().execute("UPDATE users SET \(change) WHERE username = '\(name)'")
        }
        try await withStore(database) { store async throws in
            for _ in 0..<2 { #expect(try await store.follow(username: "ada", as: rob)) }
            for name in ["bo", "cy", "di", "ed", "nobody"] {
                #expect(try await !store.follow(username: name, as: rob), "\(name)")
            }
            await #expect(throws: FollowError.oneself) {
                try await store.follow(username: "rob", as: rob)
            }
            #expect(try await store.isFollowing(ada, as: rob))
            #expect(try await !store.isFollowing(rob, as: ada))
            #expect(try await store.following(of: rob, limit: 10).people.map(\.username) == ["ada"])
            #expect(try await store.followers(of: ada, limit: 10).people.map(\.username) == ["rob"])
            #expect(try await store.followers(of: rob, limit: 10).people.isEmpty)
            // Only the two can end it.
            try await store.unfollow(username: "rob", as: ada)
            try await store.removeFollower(username: "ada", of: rob)
            #expect(try await store.isFollowing(ada, as: rob))
            try await store.removeFollower(username: "rob", of: ada)
            #expect(try await !store.isFollowing(ada, as: rob))
            #expect(try await store.follow(username: "ada", as: rob))
            try await store.unfollow(username: "ada", as: rob)
            try await store.unfollow(username: "ada", as: rob)
            #expect(try await store.following(of: rob, limit: 10).people.isEmpty)
        }
        #expect(throws: PostgresError.self) {
            try database.session().query(
                "INSERT INTO follows (follower_id, followed_id) VALUES ($1, $1)", [.uuid(rob)])
        }
    }

    @Test("shows what one save has added in the order of the list, on one page or several")
    func saves() async throws {
        let rob = try database.makeUser("rob")
        try await withStore(database) { store async throws in
            for number in 1...5 {
                let user = try database.makeUser("user-\(number)")
                _ = try await store.changeList(userID: user) { list in
                    try ListDraft(
                        games.map { DraftEntry(Pick(game: $0, platform: ps4)) }, replacing: list)
                }
                #expect(try await store.follow(username: "user-\(number)", as: rob))
            }
            for limit in [100, 7] {
                var found: [String] = []
                var page = try await store.changes(followedBy: rob, limit: limit)
                found += page.entries.map { "\($0.inclusion.username) \($0.inclusion.position)" }
                while let next = page.next {
                    page = try await store.changes(followedBy: rob, limit: limit, at: next)
                    found += page.entries.map {
                        "\($0.inclusion.username) \($0.inclusion.position)"
                    }
                }
                let expected = (1...5).reversed().flatMap { user in
                    (1...5).map { "user-\(user) \($0)" }
                }
                #expect(found == expected, "\(limit)")
            }
            // Everyone's latest entries are in that order, too.
            let latest = try await store.entries(EntryFilter(), limit: 100).entries
            #expect(
                latest.filter { $0.inclusion.username == "user-3" }.map(\.inclusion.position)
                    == [1, 2, 3, 4, 5])
        }
    }

    @Test("has a bound of a thousand people, which holds when many follow at once")
    func bound() async throws {
        let rob = try database.makeUser("rob")
        let session = try database.session()
        try session.execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'user-' || n, 'User ' || n FROM generate_series(1, 1010) n;
            INSERT INTO follows (follower_id, followed_id)
            SELECT r.id, u.id FROM users r, users u
            WHERE r.username = 'rob'
              AND u.username IN (SELECT 'user-' || n FROM generate_series(1, 997) n)
            """)
        let refused = Counter()
        try await withStores(3, database, connections: 4) { index, store async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask { () async throws in
                        do {
                            let name = "user-\(998 + index * 4 + number)"
                            #expect(try await store.follow(username: name, as: rob))
                        } catch FollowError.tooMany {
                            refused.increment()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(refused.value == 9)
        let count: Int = try session.query("SELECT count(*) FROM follows")[0][0]
        #expect(count == Following.limit)
        // One who is followed already can be followed again.
        try await withStore(database) { store async throws in
            #expect(try await store.follow(username: "user-1", as: rob))
        }
    }

    @Test("shows only whose lists are public now, in pages")
    func people() async throws {
        let rob = try database.makeUser("rob")
        let session = try database.session()
        try session.execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'user-' || n, 'User ' || n FROM generate_series(1, 7) n;
            INSERT INTO follows (follower_id, followed_id, followed_at)
            SELECT r.id, u.id, now() - substr(u.username, 6)::integer * interval '1 minute'
            FROM users r, users u WHERE r.username = 'rob' AND u.username LIKE 'user-%'
            """)
        try await withStore(database) { store async throws in
            let first = try await store.following(of: rob, limit: 3)
            #expect(first.people.map(\.username) == ["user-1", "user-2", "user-3"])
            #expect(first.previous == nil)
            let second = try await store.following(of: rob, limit: 3, at: first.next)
            #expect(second.people.map(\.username) == ["user-4", "user-5", "user-6"])
            let third = try await store.following(of: rob, limit: 3, at: second.next)
            #expect(third.people.map(\.username) == ["user-7"] && third.next == nil)
            let back = try await store.following(of: rob, limit: 3, at: third.previous)
            #expect(back.people == second.people)
            for change in [
                "visibility = 'unlisted'", "visibility = 'private'", "disabled_at = now()",
                "new_until = now() + interval '1 hour'",
            ] {
                try database.session().execute(
                    "UPDATE users SET \(change) WHERE username = 'user-2'")
                let page = try await store.following(of: rob, limit: 3)
                #expect(page.people.map(\.username) == ["user-1", "user-3"], "\(change)")
                #expect(page.next == first.next)
                try database.session().execute(
                    """
                    UPDATE users SET visibility = 'public', disabled_at = NULL, new_until = NULL
                    WHERE username = 'user-2'
                    """)
            }
            let again = try await store.following(of: rob, limit: 3)
            #expect(again.people == first.people)
        }
    }

    @Test(
        "shows what came onto the lists of those followed, the latest first, while they are public")
    func changes() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        let bo = try database.makeUser("bo")
        try await withStore(database) { [games] store async throws in
            for (user, game) in [(ada, 0), (bo, 1), (ada, 2)] {
                _ = try await store.changeList(userID: user) { list in
                    var draft = ListDraft(list)
                    try draft.insert(DraftEntry(Pick(game: games[game], platform: ps4)), at: nil)
                    return draft
                }
            }
            func changes(_ limit: Int = 10, at cursor: InclusionCursor? = nil) async throws
                -> EntryPage
            {
                try await store.changes(followedBy: rob, limit: limit, at: cursor)
            }
            #expect(try await changes().entries.isEmpty)
            #expect(try await store.follow(username: "ada", as: rob))
            #expect(try await changes().entries.map(\.game.id) == [games[2], games[0]])
            #expect(try await store.follow(username: "bo", as: rob))
            let first = try await changes(2)
            #expect(first.entries.map(\.game.id) == [games[2], games[1]])
            let second = try await changes(2, at: first.next)
            #expect(second.entries.map(\.game.id) == [games[0]] && second.next == nil)
            let back = try await changes(2, at: second.previous)
            #expect(back.entries.map(\.game.id) == [games[2], games[1]])
        }
        for change in [
            "visibility = 'unlisted'", "visibility = 'private'", "disabled_at = now()",
            "new_until = now() + interval '1 hour'",
        ] {
            let session = try database.session()
            try session.execute("UPDATE users SET \(change) WHERE username = 'bo'")
            let found = try await withStore(database) {
                try await $0.changes(followedBy: rob, limit: 10)
            }
            #expect(found.entries.map(\.game.id) == [games[2], games[0]], "\(change)")
            try session.execute(
                """
                UPDATE users SET visibility = 'public', disabled_at = NULL, new_until = NULL
                WHERE username = 'bo'
                """)
        }
    }

    @Test("has a feed for the one who has its secret, until it is renewed or removed")
    func feed() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        let hashes: [[UInt8]] = [1, 2, 3].map { Array(repeating: $0, count: 32) }
        try await withStore(database) { store async throws in
            #expect(try await store.makeFollowFeed(of: rob, in: nil, tokenHash: hashes[0]))
            #expect(try await store.makeFollowFeed(of: ada, in: nil, tokenHash: hashes[1]))
            #expect(try await !store.makeFollowFeed(of: UUID(), in: nil, tokenHash: hashes[2]))
            func owner(_ index: Int) async throws -> UUID? {
                try await store.followFeedOwner(tokenHash: hashes[index])?.id
            }
            #expect(try await owner(0) == rob)
            #expect(try await owner(1) == ada)
            #expect(try await owner(2) == nil)
            #expect(try await store.makeFollowFeed(of: rob, in: nil, tokenHash: hashes[2]))
            #expect(try await owner(0) == nil)
            #expect(try await owner(2) == rob)
            try database.setDisabled(true, rob)
            #expect(try await owner(2) == nil)
            try database.setDisabled(false, rob)
            try await store.removeFollowFeed(of: ada)
            #expect(try await owner(1) == nil)
            #expect(try await store.followFeedDate(of: ada) == nil)
            #expect(try await store.followFeedDate(of: rob) != nil)
        }
    }

    @Test("ends with either account, also while one begins to follow the other")
    func deletion() async throws {
        for round in 0..<10 {
            let rob = try database.makeUser("rob-\(round)")
            let ada = try database.makeUser("ada-\(round)")
            try await withStore(database, connections: 3) { store async throws in
                async let followed = store.follow(username: "ada-\(round)", as: rob)
                async let deleted = store.deleteUser(id: round.isMultiple(of: 2) ? ada : rob)
                _ = try await followed
                #expect(try await deleted)
            }
        }
        let count: Int = try database.session().query("SELECT count(*) FROM follows")[0][0]
        #expect(count == 0)
    }
}
