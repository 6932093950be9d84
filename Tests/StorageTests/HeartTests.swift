import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Hearts", .blocking)
struct HeartTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4, pc], 6)
    }

    /// A user with a public list of some games, who signed up long ago.
    private func makeMember(
        _ name: String, games count: Int = 3, days: Int = 30, comment: String = ""
    ) throws -> UUID {
        let user = try database.makeUser(name)
        try database.session().query(
            "UPDATE users SET created_at = now() - $2::integer * interval '1 day' WHERE id = $1",
            [.uuid(user), .int(days)])
        try database.insert(Array(games.prefix(count)), for: user, comment: comment)
        return user
    }

    private func entry(of user: UUID, at position: Int = 1) throws -> UUID {
        try database.session().query(
            "SELECT id FROM entries WHERE (user_id, position) = ($1, $2)",
            [.uuid(user), .int(position)])[0][0]
    }

    private func give(_ entry: UUID, _ givers: [UUID]) throws {
        try database.session().query(
            """
            INSERT INTO hearts (entry_id, user_id) SELECT $1, id FROM unnest($2::uuid[]) AS u (id)
            """, [.uuid(entry), .uuids(givers)])
    }

    private func count(_ entry: UUID) throws -> Int {
        try database.session().query(
            "SELECT coalesce((SELECT count FROM heart_counts WHERE entry_id = $1), 0)",
            [.uuid(entry)])[0][0]
    }

    private func agreed(_ entry: UUID) throws -> Int {
        try database.session().query(
            "SELECT agreed FROM entries WHERE id = $1", [.uuid(entry)])[0][0]
    }

    private func weigh() async throws {
        try database.session().execute("UPDATE heart_counts SET weigh_at = now()")
        try await weighWhatIsDue()
    }

    private func weighWhatIsDue() async throws {
        try await withStore(database) { store async throws in
            while try await store.weighHearts() {}
        }
    }

    @Test("are for comments of others on public lists, one per person")
    func giving() async throws {
        let ada = try makeMember("ada", comment: "Why.")
        let rob = try makeMember("rob")
        let bo = try makeMember("bo")
        let entry = try entry(of: ada)
        let wordless = try self.entry(of: bo)
        try await withStore(database) { store async throws in
            for _ in 0..<2 { #expect(try await store.giveHeart(to: entry, by: rob) == .given) }
            #expect(try count(entry) == 1)
            #expect(try await store.giveHeart(to: entry, by: ada) == .own)
            #expect(try await store.giveHeart(to: wordless, by: rob) == .gone)
            #expect(try await store.giveHeart(to: UUID(), by: rob) == .gone)
            try database.setDisabled(true, bo)
            _ = try await store.giveHeart(to: entry, by: bo)
            #expect(try count(entry) == 1)
            try database.setDisabled(false, bo)
            #expect(try await store.giveHeart(to: entry, by: bo, seen: 1) == .changed)
            let list = try #require(try await store.list(userID: ada))
            let seen = Int((list.entries[0].updatedAt.timeIntervalSince1970 * 1_000_000).rounded())
            #expect(try await store.giveHeart(to: entry, by: bo, seen: seen) == .given)
            #expect(try await store.heartCounts(ofListOf: ada) == [entry: 2])
            #expect(try await store.heartCount(of: entry) == 2)
            #expect(try await store.heartCount(of: wordless) == nil)
            #expect(try await store.heartedEntries([entry, wordless], by: rob) == [entry])
            #expect(try await store.heartedEntries([entry], by: ada) == [])
            let found = try await store.inclusions(
                game: list.entries[0].game.id, platform: ps4, limit: 10)
            #expect(found.entries.first { $0.id == entry }?.hearts == 2)
            for _ in 0..<2 { try await store.takeHeart(from: entry, by: bo) }
            #expect(try await store.heartCount(of: entry) == 1)

            for visibility in [Visibility.unlisted, .private] {
                try database.set(visibility, of: ada)
                #expect(try await store.giveHeart(to: entry, by: bo) == .gone)
                #expect(try await store.heartCount(of: entry) == nil)
                #expect(try await store.heartCounts(ofListOf: ada) == [:])
            }
            try database.set(.public, of: ada)
            #expect(try await store.heartCount(of: entry) == 1)
        }
        // The database itself refuses them.
        for (entry, user) in [(entry, ada), (wordless, rob)] {
            #expect(throws: PostgresError.self) { try give(entry, [user]) }
        }
    }

    @Test("stay with an entry that is moved or rated, and go when its words or its game change")
    func words() async throws {
        let ada = try makeMember("ada", comment: "Why.")
        let rob = try makeMember("rob")
        try await withStore(database) { [games] store async throws in
            func hearts(
                after change: @escaping @Sendable (inout ListDraft, FaveList) throws -> Void
            ) async throws -> [Int] {
                let before = try #require(try await store.list(userID: ada))
                for entry in before.entries {
                    _ = try await store.giveHeart(to: entry.id, by: rob)
                }
                let list = try await store.changeList(userID: ada) { list in
                    var draft = ListDraft(list)
                    try change(&draft, list)
                    return draft
                }
                let counts = try await store.heartCounts(ofListOf: ada)
                return try #require(list).entries.map { counts[$0.id] ?? 0 }
            }
            let other = try Comment("Because.")
            #expect(
                try await hearts { draft, list in
                    try draft.change(list.entries[2].id, position: 1) { $0.rating = Rating(4) }
                } == [1, 1, 1])
            #expect(
                try await hearts { draft, list in
                    try draft.change(list.entries[0].id) { $0.comment = other }
                } == [0, 1, 1])
            #expect(
                try await hearts { draft, list in
                    try draft.change(list.entries[1].id) { $0.gameID = games[4] }
                } == [1, 0, 1])
            #expect(
                try await hearts { draft, list in
                    try draft.change(list.entries[1].id) { $0.platformID = pc }
                } == [1, 1, 1])
            // An entry that takes the row of another one.
            #expect(
                try await hearts { draft, list in
                    try draft.remove(list.entries[0].id)
                    try draft.insert(
                        DraftEntry(gameID: games[5], platformID: ps4, comment: other), at: 1)
                } == [0, 1, 1])
            #expect(
                try await hearts { draft, list in try draft.remove(list.entries[0].id) } == [1, 1])
        }
        #expect(try database.brokenRules() == [])
        let session = try database.session()
        let hearts: Int = try session.query("SELECT count(*) FROM hearts")[0][0]
        #expect(hearts == 2)
        try session.execute("UPDATE entries SET comment = '' WHERE comment <> ''")
        let left: Int = try session.query("SELECT count(*) FROM hearts")[0][0]
        #expect(left == 0)
    }

    @Test("of disabled accounts aren't counted, and of deleted ones are gone")
    func accounts() async throws {
        let ada = try makeMember("ada", comment: "Why.")
        let rob = try makeMember("rob")
        let bo = try makeMember("bo")
        let entry = try entry(of: ada)
        try give(entry, [rob, bo])
        try database.setDisabled(true, rob)
        #expect(try count(entry) == 1)
        try database.setDisabled(false, rob)
        #expect(try count(entry) == 2)
        try database.setDisabled(true, rob)
        try await withStore(database) { store async throws in
            try await store.deleteAccount(userID: rob)
            #expect(try count(entry) == 1)
            #expect(try await store.deleteUser(id: bo))
            #expect(try count(entry) == 0)
            #expect(try await store.deleteUser(id: ada))
        }
        try await weighWhatIsDue()
        let rows: Int = try database.session().query("SELECT count(*) FROM heart_counts")[0][0]
        #expect(rows == 0)
    }

    @Test("are counted right while people give and take them, change comments and delete accounts")
    func races() async throws {
        let authors = try (0..<3).map { try makeMember("author-\($0)", comment: "Why.") }
        let givers = try (0..<8).map { try makeMember("giver-\($0)", comment: "Too.") }
        let entries: [UUID] = try database.session().query(
            "SELECT array_agg(id) FROM entries WHERE comment = 'Why.'")[0][0]
        try await withStores(3, database, connections: 4) { loop, store async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask { () async throws in
                        let giver = givers[Int.random(in: 0..<givers.count)]
                        let entry = entries[Int.random(in: 0..<entries.count)]
                        switch number % 6 {
                        case 0, 1, 2: _ = try await store.giveHeart(to: entry, by: giver)
                        case 3: try await store.takeHeart(from: entry, by: giver)
                        case 4:
                            let text = try Comment("Why \(Int.random(in: 0..<3)).")
                            _ = try await store.changeList(userID: authors[number % 3]) { list in
                                var draft = ListDraft(list)
                                if let entry = list.entries.randomElement() {
                                    try draft.change(entry.id) { $0.comment = text }
                                }
                                return draft
                            }
                        default:
                            if number == 59, loop < 2 {
                                #expect(try await store.deleteUser(id: givers[loop]))
                            }
                            _ = try await store.weighHearts()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try database.brokenRules() == [])
    }

    @Test("never stay for words that came after them", arguments: 0..<10)
    func swap(round: Int) async throws {
        let ada = try makeMember("ada", comment: "Why.")
        let givers = try (0..<4).map { try makeMember("giver-\($0)") }
        let entry = try entry(of: ada)
        let other = try Comment("Buy this!")
        try await withStore(database, connections: 5) { store async throws in
            let list = try #require(try await store.list(userID: ada))
            let seen = Int((list.entries[0].updatedAt.timeIntervalSince1970 * 1_000_000).rounded())
            try await withThrowingTaskGroup { group in
                for giver in givers {
                    group.addTask { () async throws in
                        _ = try await store.giveHeart(to: entry, by: giver, seen: seen)
                    }
                }
                group.addTask { () async throws in
                    _ = try await store.changeList(userID: ada) { list in
                        var draft = ListDraft(list)
                        try draft.change(entry) { $0.comment = other }
                        return draft
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.heartCounts(ofListOf: ada) == [:])
        }
        #expect(try database.brokenRules() == [])
    }

    @Test("give and delete at once leave nothing behind", arguments: [true, false])
    func deletion(deletesAuthor: Bool) async throws {
        for round in 0..<10 {
            let ada = try makeMember("ada-\(round)", comment: "Why.")
            let rob = try makeMember("rob-\(round)")
            let entry = try entry(of: ada)
            try await withStore(database, connections: 3) { store async throws in
                async let given = store.giveHeart(to: entry, by: rob)
                async let deleted = store.deleteUser(id: deletesAuthor ? ada : rob)
                #expect([.given, .gone].contains(try await given))
                #expect(try await deleted)
            }
        }
        let hearts: Int = try database.session().query("SELECT count(*) FROM hearts")[0][0]
        #expect(hearts == 0)
        #expect(try database.brokenRules() == [])
    }

    // MARK: The order of comments

    @Test("put a comment first once five people agree who count")
    func order() async throws {
        let old = try makeMember("ada", comment: "Why.")
        let young = try makeMember("bo", comment: "Because.")
        try database.session().query(
            "UPDATE entries SET created_at = now() - interval '1 day' WHERE user_id = $1",
            [.uuid(old)])
        let entry = try entry(of: old)
        let game = games[0]
        func quotes() async throws -> [String] {
            try await withStore(database) { store async throws in
                let ranking = try await store.ranking(platform: ps4, limit: 100, quotes: 2)
                return ranking.games.first { $0.game.id == game }?.quotes.map(\.username) ?? []
            }
        }
        func before() async throws -> [String] {
            try await withStore(database) { store async throws in
                let one = try await store.agreedInclusions(game: game, platform: ps4, limit: 3)
                let any = try await store.agreedInclusions(game: game, platform: nil, limit: 3)
                #expect(one == any)
                return one.map(\.username)
            }
        }
        let givers = try (0..<5).map { try makeMember("giver-\($0)") }
        try give(entry, Array(givers.prefix(4)))
        try await weigh()
        #expect(try await quotes() == ["bo", "ada"])
        #expect(try await before() == [])
        try give(entry, [givers[4]])
        // Maintenance notices by itself.
        try await weighWhatIsDue()
        #expect(try agreed(entry) == 5)
        #expect(try await quotes() == ["ada", "bo"])
        #expect(try await before() == ["ada"])

        // One of them no longer counts.
        for (change, back) in [
            ("users SET disabled_at = now()", "users SET disabled_at = NULL"),
            ("users SET visibility = 'unlisted'", "users SET visibility = 'public'"),
            (
                "users SET created_at = now() - interval '13 days'",
                "users SET created_at = now() - interval '15 days'"
            ),
        ] {
            let session = try database.session()
            try session.query("UPDATE \(change) WHERE id = $1", [.uuid(givers[0])])
            try await weigh()
            #expect(try agreed(entry) == 0, "\(change)")
            try session.query("UPDATE \(back) WHERE id = $1", [.uuid(givers[0])])
            try await weigh()
            #expect(try agreed(entry) == 5, "\(back)")
        }
        try database.session().query(
            "DELETE FROM entries WHERE user_id = $1 AND position = 3", [.uuid(givers[0])])
        try await weigh()
        #expect(try agreed(entry) == 0)
        _ = young
        #expect(try database.brokenRules() == [])
    }

    @Test("are weighed as many at a time as fit, and each comment's turn is moved on first")
    func turns() throws {
        let session = try database.session()
        let authors = try (0..<4).map { try makeMember("author-\($0)", comment: "Why.") }
        for (number, author) in authors.enumerated() {
            let givers = try (0..<3).map { try makeMember("giver-\(number)-\($0)") }
            try give(try entry(of: author), givers)
        }
        try session.execute("UPDATE heart_counts SET weigh_at = now() - interval '1 hour'")
        func choose(_ bound: Int) throws -> Int {
            try session.query(
                "SELECT coalesce(cardinality(choose_hearts($1)), 0)", [.int(bound)])[0][0]
        }
        func due() throws -> Int {
            try session.query("SELECT count(*) FROM heart_counts WHERE weigh_at <= now()")[0][0]
        }
        #expect(try due() == 4)
        #expect(try choose(7) == 2)
        #expect(try due() == 2, "although nothing was weighed")
        #expect(try choose(1) == 1, "one has its turn however many hearts it has")
        #expect(try choose(7) == 1)
        #expect(try choose(7) == 0)
    }

    @Test("of fresh accounts lift no comment, however many")
    func fresh() async throws {
        let entry = try entry(of: makeMember("ada", comment: "Buy this!"))
        try give(entry, (0..<10).map { try makeMember("fresh-\($0)", days: 13) })
        try give(entry, (0..<10).map { try makeMember("short-\($0)", games: 2) })
        try give(
            entry,
            (0..<10).map {
                let user = try makeMember("hidden-\($0)")
                try database.set(.private, of: user)
                return user
            })
        try await weigh()
        #expect(try count(entry) == 30)
        #expect(try agreed(entry) == 0)
        // Four who count are too few, whatever company they have.
        try give(entry, (0..<4).map { try makeMember("member-\($0)") })
        try await weigh()
        #expect(try agreed(entry) == 0)
    }

    @Test("of people to whom the author has given one lift nothing")
    func ring() async throws {
        let ring = try (0..<6).map { try makeMember("ring-\($0)", comment: "Why.") }
        let entries = try ring.map { try entry(of: $0) }
        for (number, entry) in entries.enumerated() {
            try give(entry, ring.indices.filter { $0 != number }.map { ring[$0] })
        }
        try await weigh()
        #expect(try entries.map { try count($0) } == Array(repeating: 5, count: 6))
        #expect(try entries.map { try agreed($0) } == Array(repeating: 0, count: 6))
    }

    @Test("of one person count once for each author")
    func once() async throws {
        let ada = try makeMember("ada", comment: "Why.")
        let bo = try makeMember("bo", comment: "Why.")
        let givers = try (0..<5).map { try makeMember("giver-\($0)") }
        let entries = try (1...3).map { try entry(of: ada, at: $0) }
        let session = try database.session()
        for entry in entries {
            try give(entry, givers)
            try session.execute(
                "UPDATE hearts SET given_at = given_at - interval '1 hour'")
        }
        try give(entry(of: bo), givers)
        try await weigh()
        #expect(try entries.map { try agreed($0) } == [5, 0, 0])
        #expect(try agreed(entry(of: bo)) == 5)
        #expect(try entries.map { try count($0) } == [5, 5, 5])
    }
}
