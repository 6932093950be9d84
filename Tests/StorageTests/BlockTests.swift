import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Blocking someone", .blocking)
struct BlockTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4], 2)
    }

    private func makeMember(_ name: String) throws -> UUID {
        let user = try database.makeUser(name)
        try database.insert(games, for: user, comment: "Why.")
        return user
    }

    private func entry(of user: UUID) throws -> UUID {
        try database.session().query(
            "SELECT id FROM entries WHERE (user_id, position) = ($1, 1)", [.uuid(user)])[0][0]
    }

    private func count(_ what: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(what)")[0][0]
    }

    private func hash(_ number: Int) -> [UInt8] {
        Array(repeating: 0, count: 24) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A link to a new circle of someone.
    private func invitation(_ number: Int, of owner: UUID, by store: Store) async throws -> [UInt8]
    {
        let name = try #require(CircleName("Club"))
        let circle = try await store.makeCircle(
            of: owner, name: name, description: .empty, visibility: .members)
        _ = try await store.makeInvitation(
            toCircle: circle, by: owner, tokenHash: hash(number), uses: 9, days: 1)
        return hash(number)
    }

    @Test("ends follows and hearts both ways, and nobody else's")
    func ends() async throws {
        let (rob, ada, bo) = (
            try makeMember("rob"), try makeMember("ada"), try makeMember("bo")
        )
        let (ofRob, ofAda) = (try entry(of: rob), try entry(of: ada))
        try await withStore(database) { store async throws in
            for (follower, followed) in [(rob, "ada"), (ada, "rob"), (bo, "ada"), (ada, "bo")] {
                #expect(try await store.follow(username: followed, as: follower))
            }
            #expect(try await store.giveHeart(to: ofAda, by: rob) == .given)
            #expect(try await store.giveHeart(to: ofAda, by: bo) == .given)
            #expect(try await store.giveHeart(to: ofRob, by: ada) == .given)
            for _ in 0..<2 { #expect(try await store.block(username: "ada", as: rob)) }
            #expect(try count("blocks") == 1)
            #expect(try count("follows") == 2)
            #expect(try await store.heartCount(of: ofAda) == 1)
            #expect(try await store.heartCount(of: ofRob) == 0)
            #expect(try await store.following(of: ada, limit: 9).people.map(\.username) == ["bo"])

            // There is no new one, and none comes back with the end of the block.
            #expect(try await !store.follow(username: "rob", as: ada))
            #expect(try await !store.follow(username: "ada", as: rob))
            #expect(try await store.giveHeart(to: ofRob, by: ada) == .gone)
            #expect(try await store.giveHeart(to: ofAda, by: rob) == .gone)
            for _ in 0..<2 { try await store.unblock(username: "ada", as: rob) }
            #expect(try count("follows") == 2)
            #expect(try await store.follow(username: "rob", as: ada))
            #expect(try await store.giveHeart(to: ofRob, by: ada) == .given)
        }
        #expect(try database.brokenRules() == [])
        // The database itself keeps the rules.
        try database.session().query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.uuid(ada), .uuid(rob)])
        #expect(try database.brokenRules() == [])
        for sql in [
            "INSERT INTO follows (follower_id, followed_id) VALUES ($1, $2)",
            "INSERT INTO follows (follower_id, followed_id) VALUES ($2, $1)",
            """
            INSERT INTO hearts (entry_id, user_id)
            SELECT id, $1 FROM entries WHERE user_id = $2 LIMIT 1
            """,
            "INSERT INTO blocks (blocker_id, blocked_id) SELECT $1, $1 WHERE $2 IS NOT NULL",
        ] {
            #expect(throws: PostgresError.self, "\(sql)") {
                try database.session().query(sql, [.uuid(rob), .uuid(ada)])
            }
        }
    }

    @Test("takes each out of the other's circles and keeps them out, but not of those of others")
    func circles() async throws {
        let (rob, ada, bo) = (
            try makeMember("rob"), try makeMember("ada"), try makeMember("bo")
        )
        try await withStore(database) { store async throws in
            let (ofRob, ofAda, ofBo) = (
                try await invitation(1, of: rob, by: store),
                try await invitation(2, of: ada, by: store),
                try await invitation(3, of: bo, by: store)
            )
            for member in [rob, ada] { _ = try await store.joinCircle(tokenHash: ofBo, by: member) }
            _ = try await store.joinCircle(tokenHash: ofRob, by: ada)
            _ = try await store.joinCircle(tokenHash: ofAda, by: rob)
            #expect(try count("circle_members") == 7)
            #expect(try await store.block(username: "ada", as: rob))
            #expect(try count("circle_members") == 5)
            await #expect(throws: CircleError.invitationInvalid) {
                _ = try await store.joinCircle(tokenHash: ofRob, by: ada)
            }
            await #expect(throws: CircleError.invitationInvalid) {
                _ = try await store.joinCircle(tokenHash: ofAda, by: rob)
            }
            #expect(try count("circle_invitations WHERE uses_left = 8") == 2)
            #expect(try count("circle_members") == 5)
            _ = try await store.joinCircle(tokenHash: ofRob, by: bo)
            try await store.unblock(username: "ada", as: rob)
            _ = try await store.joinCircle(tokenHash: ofRob, by: ada)
        }
    }

    @Test("is for people whom one may see, and for no more than a thousand")
    func limits() async throws {
        let (rob, ada) = (try makeMember("rob"), try makeMember("ada"))
        try await withStore(database) { store async throws in
            let session = try database.session()
            await #expect(throws: BlockError.oneself) {
                _ = try await store.block(username: "rob", as: rob)
            }
            #expect(try await !store.block(username: "nobody", as: rob))
            #expect(try await !store.block(username: "ada", as: UUID()))
            try database.set(.private, of: ada)
            #expect(try await !store.block(username: "ada", as: rob))
            // Someone sees who follows them.
            #expect(try await store.follow(username: "rob", as: ada))
            #expect(try await store.blockableUser(username: "ada", by: rob)?.id == ada)
            #expect(try await store.block(username: "ada", as: rob))
            try await store.unblock(username: "ada", as: rob)
            try database.set(.unlisted, of: ada)
            #expect(try await store.block(username: "ada", as: rob))
            #expect(try await store.blockedPerson(username: "ada", by: rob)?.userID == ada)
            #expect(try await store.blockedPerson(username: "rob", by: ada) == nil)
            // The one who is blocked can do the same, and sees it, but doesn't learn of the other block.
            #expect(try await store.blockableUser(username: "rob", by: ada)?.id == rob)
            #expect(try await store.block(username: "rob", as: ada))
            let blocked = try await store.blockedPeople(of: ada, limit: 9).people
            #expect(blocked.map(\.username) == ["rob"])
            try await store.unblock(username: "rob", as: ada)
            #expect(try await store.blockedPeople(of: ada, limit: 9).people.isEmpty)
            try session.execute(
                """
                INSERT INTO users (username, display_name, may_look_alike)
                SELECT 'crowd-' || n, 'Crowd', true FROM generate_series(1, 1000) n;
                INSERT INTO blocks (blocker_id, blocked_id)
                SELECT r.id, c.id FROM users r, users c
                WHERE r.username = 'rob' AND c.username LIKE 'crowd-%' AND c.username <> 'crowd-1'
                """)
            await #expect(throws: BlockError.tooMany) {
                _ = try await store.block(username: "crowd-1", as: rob)
            }
            var seen: Set<String> = []
            var cursor: InclusionCursor?
            repeat {
                let page = try await store.blockedPeople(of: rob, limit: 100, at: cursor)
                seen.formUnion(page.people.map(\.username))
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 1000 && seen.contains("ada"))
        }
    }

    @Test(
        "and following, hearts, joining or a change of the list at once never leave a rule broken")
    func races() async throws {
        for round in 0..<15 {
            let (rob, ada) = (try makeMember("rob-\(round)"), try makeMember("ada-\(round)"))
            let (ofRob, ofAda) = (try entry(of: rob), try entry(of: ada))
            let words = try Comment("Other words.")
            try await withStore(database, connections: 8) { store async throws in
                let link = try await invitation(round, of: rob, by: store)
                let isMutual = round.isMultiple(of: 3)
                try await withThrowingTaskGroup { group in
                    group.addTask { () async throws in
                        #expect(try await store.block(username: "ada-\(round)", as: rob))
                    }
                    if isMutual {
                        group.addTask { () async throws in
                            #expect(try await store.block(username: "rob-\(round)", as: ada))
                        }
                    }
                    group.addTask { () async throws in
                        _ = try await store.follow(username: "ada-\(round)", as: rob)
                    }
                    group.addTask { () async throws in
                        _ = try await store.follow(username: "rob-\(round)", as: ada)
                    }
                    group.addTask { () async throws in
                        _ = try await store.giveHeart(to: ofAda, by: rob)
                    }
                    group.addTask { () async throws in
                        _ = try await store.giveHeart(to: ofRob, by: ada)
                    }
                    group.addTask { () async throws in
                        do {
                            _ = try await store.joinCircle(tokenHash: link, by: ada)
                        } catch CircleError.invitationInvalid {
                            // The block came first.
                        }
                    }
                    group.addTask { () async throws in
                        _ = try await store.changeList(userID: ada) { list in
                            var draft = ListDraft(list)
                            try draft.change(list.entries[1].id) { $0.comment = words }
                            return draft
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await store.giveHeart(to: ofAda, by: rob) == .gone)
                #expect(try await !store.follow(username: "rob-\(round)", as: ada))
                let joined: Int = try database.session().query(
                    "SELECT count(*) FROM circle_members WHERE user_id = $1", [.uuid(ada)])[0][0]
                #expect(joined == 0)
            }
            #expect(try count("blocks") > round)
            #expect(try database.brokenRules() == [])
        }
    }

    @Test("ends with either account, also while one blocks the other")
    func deletion() async throws {
        for round in 0..<10 {
            let rob = try database.makeUser("rob-\(round)")
            let ada = try database.makeUser("ada-\(round)")
            try await withStore(database, connections: 3) { store async throws in
                async let blocked = store.block(username: "ada-\(round)", as: rob)
                async let deleted = store.deleteUser(id: round.isMultiple(of: 2) ? ada : rob)
                _ = try await blocked
                #expect(try await deleted)
            }
        }
        #expect(try count("blocks") == 0)
    }

    @Test("leaves either out of what the other reads, in every statement, and out of no one else's")
    func viewers() async throws {
        let (rob, ada, bo) = (
            try makeMember("rob"), try makeMember("ada"), try makeMember("bo")
        )
        let game = games[0]
        try await withStore(database) { store async throws in
            #expect(try await store.block(username: "ada", as: rob))
            func seen(by user: UUID?, _ isModerator: Bool) async throws -> [Set<String>] {
                let reader = Viewer()
                let store = store.reading(.anew, for: reader)
                if let user { reader.leaveOutBlocked(of: user, andBlockers: !isModerator) }
                let ranking = try await store.ranking(platform: ps4, limit: 9, quotes: 3)
                let lists = try await store.recentLists(limit: 9)
                let found = try await store.entries(EntryFilter(), limit: 99)
                return [
                    Set(ranking.games.first { $0.game.id == game }?.quotes.map(\.username) ?? []),
                    Set(lists.lists.map(\.owner.username)),
                    Set(found.entries.map(\.inclusion.username)),
                    Set(
                        try await store.inclusions(game: game, platform: ps4, limit: 9).entries
                            .map(\.username)),
                ]
            }
            let everyone: Set = ["rob", "ada", "bo"]
            let readers: [(user: UUID?, isModerator: Bool, hidden: String)] = [
                (rob, false, "ada"), (ada, false, "rob"), (rob, true, "ada"), (ada, true, ""),
                (bo, false, ""), (nil, false, ""),
            ]
            for (user, isModerator, hidden) in readers {
                for seen in try await seen(by: user, isModerator) {
                    #expect(seen == everyone.subtracting([hidden]))
                }
            }
        }
    }
}
