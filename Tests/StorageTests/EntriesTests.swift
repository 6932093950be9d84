import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Everyone's entries", .blocking)
struct EntriesTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4, pc], 4)
    }

    /// Ada loves games 0, 1 and 2, Bo games 1 and 2, Cy game 3 and, unlisted, Di game 0.
    private func fill(_ store: Store) async throws {
        func entry(
            _ game: Int, _ platform: Int, _ comment: String, _ rating: Int?, _ tags: [String]
        ) throws -> DraftEntry {
            DraftEntry(
                gameID: games[game], platformID: platform, comment: try Comment(comment),
                rating: rating.flatMap(Rating.init), tags: try Tags(tags))
        }
        let lists: [(String, [DraftEntry])] = [
            (
                "ada",
                [
                    try entry(0, ps4, "The música, always the música.", 5, ["music", "story"]),
                    try entry(1, pc, "", nil, []), try entry(2, ps4, "Again", 3, ["story"]),
                ]
            ),
            (
                "bo",
                [try entry(1, ps4, "Musica 100% \\ _", 5, []), try entry(2, pc, "", 1, ["a b"])]
            ),
            ("cy", [try entry(3, ps4, "", nil, [])]),
            ("di", [try entry(0, ps4, "música", 5, ["music"])]),
        ]
        for (name, entries) in lists {
            let user = try database.makeUser(name)
            if name == "di" { try database.set(.unlisted, of: user) }
            _ = try await store.changeList(userID: user) { try ListDraft(entries, replacing: $0) }
        }
        try database.session().execute("UPDATE users SET shows_ratings = true")
    }

    private static func names(
        _ store: Store, limit: Int = 100, _ set: (inout EntryFilter) -> Void = { _ in }
    ) async throws -> [String] {
        var filter = EntryFilter()
        set(&filter)
        var found: [String] = []
        var page = try await store.entries(filter, limit: limit)
        #expect(page.previous == nil)
        var pages = [page.entries]
        while let next = page.next {
            page = try await store.entries(filter, limit: limit, at: next)
            pages.append(page.entries)
        }
        for page in pages {
            #expect(page.count <= limit)
            found += page.map { "\($0.inclusion.username)\($0.inclusion.position)" }
        }
        // The same on the way back.
        var back = [page.entries]
        while let previous = page.previous, back.count < 100 {
            page = try await store.entries(filter, limit: limit, at: previous)
            back.append(page.entries)
        }
        #expect(back.reversed().flatMap { $0 } == pages.flatMap { $0 })
        return found.sorted()
    }

    @Test("are found by each filter, and by several at once; only public ones")
    func filters() async throws {
        try await withStore(database) { [games] store in
            try await fill(store)
            let all = ["ada1", "ada2", "ada3", "bo1", "bo2", "cy1"]
            #expect(try await Self.names(store) == all)
            #expect(try await Self.names(store, limit: 2) == all)
            #expect(
                try await Self.names(store) { $0.platformID = ps4 } == [
                    "ada1", "ada3", "bo1", "cy1",
                ])
            #expect(try await Self.names(store) { $0.gameIDs = [games[1]] } == ["ada2", "bo1"])
            #expect(
                try await Self.names(store, limit: 2) { $0.gameIDs = games }
                    == all)
            #expect(
                try await Self.names(store, limit: 1) {
                    $0.gameIDs = [games[1], games[2], games[1]]
                    $0.platformID = ps4
                } == ["ada3", "bo1"])
            #expect(try await Self.names(store) { $0.gameIDs = [] } == [])
            #expect(try await Self.names(store) { $0.rating = Rating(5) } == ["ada1", "bo1"])
            #expect(try await Self.names(store) { $0.tag = Tag("story") } == ["ada1", "ada3"])
            #expect(try await Self.names(store) { $0.tag = Tag("A B") } == ["bo2"])
            #expect(try await Self.names(store) { $0.tag = Tag("b") } == [])
            for text in ["musica", "MÚSICA", "the musica"] {
                let expected = text == "the musica" ? ["ada1"] : ["ada1", "bo1"]
                #expect(
                    try await Self.names(store) { $0.search = SearchText(text) } == expected,
                    "\(text)")
            }
            for text in ["%", "_", "\\", "' OR true --", "& | ! <->", ":*"] {
                _ = try await Self.names(store) { $0.search = SearchText(text) }
            }
            let ada = try #require(try await store.user(username: "ada", seenBy: nil))
            #expect(
                try await Self.names(store) {
                    $0.userID = ada.id
                    $0.platformID = ps4
                    $0.rating = Rating(3)
                    $0.tag = Tag("story")
                    $0.gameIDs = [games[2]]
                    $0.search = SearchText("again")
                } == ["ada3"])
        }
    }

    @Test("are looked for no further than a bound, and a page leads to the next all the same")
    func bounded() async throws {
        let session = try database.session()
        // Two tags that are on thousands of entries, never both, and a word between them.
        try session.query(
            """
            INSERT INTO users (username, display_name, may_look_alike)
            SELECT 'user-' || n, 'User', true FROM generate_series(1, 4500) n
            """)
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, tags, comment, created_at)
            SELECT id, 1, $1, 48, CASE WHEN n % 2 = 0 THEN '{even}'::text[] ELSE '{odd}' END,
                   CASE WHEN n = 17 THEN 'Unusual word' WHEN n % 2 = 0 THEN 'Usual' ELSE 'Other' END,
                   now() - n * interval '1 minute'
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) u
            """, [.int(games[0])])
        try BulkStore(session).analyze()
        try await withStore(database) { [games] store in
            var filter = EntryFilter()
            filter.tag = Tag("even")
            filter.search = SearchText("other")
            var pages = 0
            var cursor: InclusionCursor?
            repeat {
                let page = try await store.entries(filter, limit: 20, at: cursor)
                #expect(page.entries.isEmpty)
                cursor = page.next
                pages += 1
            } while cursor != nil && pages < 10
            #expect(pages == 3, "4,500 entries, 2,000 for each page")
            #expect(
                try await Self.names(store, limit: 100) { $0.tag = Tag("odd") }.count == 2250)
            #expect(
                try await Self.names(store, limit: 100) {
                    $0.tag = Tag("odd")
                    $0.search = SearchText("other")
                    $0.gameIDs = [games[0]]
                    $0.platformID = ps4
                }.count == 2249)
            #expect(
                try await Self.names(store) { $0.search = SearchText("word unusual") }.count == 1)
            #expect(try await Self.names(store) { $0.search = SearchText("zzz") }.isEmpty)
        }
    }

    @Test("of several games share the bound, and none is passed over")
    func severalGames() async throws {
        let session = try database.session()
        try session.query("ALTER TABLE entries DISABLE TRIGGER USER")
        try session.query(
            """
            INSERT INTO users (username, display_name, may_look_alike)
            SELECT 'user-' || n, 'User', true FROM generate_series(1, 3500) n
            """)
        // One game long ago, one lately, one all the time.
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, tags, comment, created_at)
            SELECT id, position, ($1::integer[])[position], 48,
                   CASE WHEN n % 5 = 0 THEN '{fifth}'::text[] ELSE '{other}' END,
                   CASE WHEN n % 7 = 0 THEN 'Seventh' ELSE 'Other' END,
                   now() - (n + CASE position WHEN 1 THEN 5000 WHEN 2 THEN 0 ELSE n END)
                           * interval '1 minute'
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) u,
                 generate_series(1, 3) AS position
            """, [.ints(games.prefix(3))])
        try BulkStore(session).analyze()
        try await withStore(database) { [games] store in
            for limit in [7, 100] {
                let found = try await Self.names(store, limit: limit) {
                    $0.gameIDs = Array(games.prefix(3))
                    $0.tag = Tag("fifth")
                    $0.search = SearchText("seventh")
                }
                #expect(found.count == 300 && Set(found).count == 300)
            }
            let two = try await Self.names(store, limit: 30) {
                $0.gameIDs = [games[2], games[0], games[2]]
                $0.tag = Tag("fifth")
            }
            #expect(two.count == 1400 && Set(two).count == 1400)
        }
    }

    @Test("are all found that hold two words that are each on very many")
    func commonWords() async throws {
        let session = try database.session()
        // More than the index is asked for at most, so it thins each word by itself.
        try session.query("ALTER TABLE entries DISABLE TRIGGER USER")
        try session.query(
            """
            INSERT INTO users (username, display_name, may_look_alike)
            SELECT 'user-' || n, 'User', true FROM generate_series(1, 50000) n
            """)
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment, created_at)
            SELECT id, 1, $1, 48,
                   CASE WHEN n = 7 OR n BETWEEN 40001 AND 40030 THEN 'Gamma'
                        WHEN n % 1000 = 0 THEN 'Alpha and beta'
                        WHEN n % 2 = 0 THEN 'Alpha' ELSE 'Beta' END,
                   now() - n * interval '1 minute'
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) u
            """, [.int(games[0])])
        try BulkStore(session).analyze()
        // One that was used a moment ago is still rare.
        let gamma: Int = try session.query(
            "SELECT cardinality(entries_with_rare_word('gamma', 40))")[0][0]
        #expect(gamma == 31)
        let isCommon: Bool = try session.query(
            "SELECT entries_with_rare_word('alpha', 40) IS NULL")[0][0]
        #expect(isCommon)
        try await withStore(database) { store in
            for text in ["alpha beta", "BÉTA, álpha!", "alpha and beta"] {
                let found = try await Self.names(store, limit: 20) {
                    $0.search = SearchText(text)
                }
                #expect(found.count == 50, "\(text)")
                #expect(Set(found).count == 50, "\(text)")
            }
            #expect(try await Self.names(store) { $0.search = SearchText("--") }.isEmpty)
        }
    }

    @Test("have no rating for others, and aren't found by it, unless their user shows it")
    func hiddenRatings() async throws {
        try await withStore(database) { store in
            try await fill(store)
            let ada = try #require(try await store.user(username: "ada", seenBy: nil))
            let changed = try await store.change(
                userID: ada.id, ProfileChanges(showsRatings: false))
            #expect(changed?.showsRatings == false)
            #expect(try await Self.names(store) { $0.rating = Rating(5) } == ["bo1"])
            let entries = try await store.entries(EntryFilter(), limit: 100).entries
                .map(\.inclusion)
            #expect(!entries.contains { $0.username == "ada" && $0.rating != nil })
            #expect(entries.contains { $0.username == "bo" && $0.rating != nil })
            let seen = try await store.list(username: "ada", seenBy: ada.id)
            #expect(seen?.entries.count == 3)
            #expect(seen?.entries.contains { $0.rating != nil } == false)
            let own = try await store.list(userID: ada.id)
            #expect(own?.entries.first?.rating == Rating(5))
            // Saving anything else leaves the ratings as they are.
            _ = try await store.changeList(userID: ada.id) { ListDraft($0) }
            #expect(try await store.list(userID: ada.id)?.entries == own?.entries)
        }
    }

    @Test("come the latest first, with all that is said")
    func order() async throws {
        try await withStore(database) { store in
            try await fill(store)
            try database.session().execute(
                "UPDATE entries SET created_at = now() - position * interval '1 hour'")
            let page = try await store.entries(EntryFilter(), limit: 6)
            let times = page.entries.map(\.inclusion.createdAt)
            #expect(times == times.sorted(by: >))
            let first = try #require(page.entries.first { $0.inclusion.username == "ada" })
            #expect(first.inclusion.rating == Rating(5))
            #expect(first.inclusion.tags == ["music", "story"])
            #expect(first.inclusion.platform.id == ps4)
        }
    }

    @Test("of lists that share games are found, those that share most first")
    func similar() async throws {
        try await withStore(database) { store in
            try await fill(store)
            let ada = try #require(try await store.list(username: "ada", seenBy: nil))
            let found = try await store.similarLists(ada, limit: 10)
            #expect(found.map(\.list.owner.username) == ["bo"])
            #expect(found[0].taste.shared.map(\.id) == [games[1], games[2]])
            let cy = try #require(try await store.list(username: "cy", seenBy: nil))
            #expect(try await store.similarLists(cy, limit: 10).isEmpty)
        }
    }

    @Test("have at most five tags and a rating from 1 to 5, whoever writes them")
    func rules() async throws {
        try await withStore(database) { store in try await fill(store) }
        let session = try database.session()
        for change in [
            "rating = 0", "rating = 6", "tags = '{a,b,c,d,e,f}'", "tags = '{a,a}'",
            "tags = ARRAY['']", "tags = ARRAY['a,b']", "tags = ARRAY[repeat('x', 31)]",
        ] {
            #expect(throws: PostgresError.self, "\(change)") {
                try session.execute("UPDATE entries SET \(change)")
            }
        }
    }

    @Test("change the list when what is said changes, and only then")
    func versions() async throws {
        try await withStore(database) { [games] store in
            try await fill(store)
            let cy = try #require(try await store.list(username: "cy", seenBy: nil))
            func version() throws -> Int {
                try database.session().query(
                    "SELECT version FROM lists WHERE user_id = $1", [.uuid(cy.owner.id)])[0][0]
            }
            let before = try version()
            for (step, rating) in [nil, 4, 4, nil].enumerated() {
                _ = try await store.changeList(userID: cy.owner.id) { list in
                    try ListDraft(
                        [
                            DraftEntry(
                                gameID: games[3], platformID: ps4,
                                rating: rating.flatMap(Rating.init))
                        ], replacing: list)
                }
                #expect(try version() == before + [0, 1, 1, 2][step])
            }
        }
    }
}

@Suite("Ranks of earlier days", .blocking)
struct PastRankTests {
    @Test("say how games have moved since a week ago")
    func movements() async throws {
        let database = try TestDatabase()
        let games = try database.games(on: [ps4], 3)
        for (place, game) in games.enumerated() {
            for number in 0..<(3 - place) {
                try database.insert([game], for: database.makeUser("user-\(place)-\(number)"))
            }
        }
        try await withStore(database) { store in
            let session = try database.session()
            func movements(_ platform: Int) async throws -> [Movement?] {
                let past = try await store.pastRanks(platform: platform)
                return [(games[0], 3), (games[1], 2), (games[2], 1), (999_999, 4)].map {
                    past.movement(of: $0, to: $1)
                }
            }
            let none = [Movement?](repeating: nil, count: 4)
            #expect(try await movements(ps4) == none)
            try await store.noteRanks()
            #expect(try await movements(ps4) == none, "of today")
            try session.execute("UPDATE past_ranks SET taken_on = taken_on - 8")
            try await store.noteRanks()
            // The day that was noted; by now it may be another one.
            let day: String = try session.query(
                "SELECT max(taken_on)::text FROM past_ranks")[0][0]
            let late = try database.games(on: [pc, ps4], 1)[0]
            try database.insert([late], for: database.makeUser("late"))
            try await store.noteRanks()
            let count: Int = try session.query(
                "SELECT count(*) FROM past_ranks WHERE taken_on = $1::text::date", [.text(day)])[0][
                    0]
            #expect(count == 3, "a day is noted once")
            #expect(try await movements(ps4) == [.down(2), .same, .up(2), .new])
            #expect(try await movements(pc) == none)
            try session.execute("UPDATE past_ranks SET taken_on = taken_on - 30")
            #expect(try await !store.deleteExpired(.pastRanks))
            let left: Int = try session.query("SELECT count(*) FROM past_ranks")[0][0]
            #expect(left == 0)
        }
    }

    @Test("say nothing of a game that may have shared the last rank that is stored")
    func tiedAtTheBound() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        try session.query(
            """
            INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
            SELECT 48, (now() AT TIME ZONE 'UTC')::date - 7, id, least(place, 50)
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM games) g
            WHERE place <= 100
            """)
        try await withStore(database) { store in
            let past = try await store.pastRanks(platform: ps4)
            #expect(past.movement(of: 999_998, to: 50) == nil)
            #expect(past.movement(of: 999_999, to: 49) == .new)
            #expect(past.movement(of: 999_999, to: 101) == nil, "nobody remembers so many")
        }
    }

    @Test("are derived from what is older than a week, once")
    func derived() throws {
        let database = try TestDatabase()
        let games = try database.games(on: [ps4], 2)
        let session = try database.session()
        try database.insert([games[0]], for: database.makeUser("ann"))
        try session.execute("UPDATE entries SET created_at = now() - interval '8 days'")
        try database.insert([games[1]], for: database.makeUser("ben"))
        for _ in 0..<2 { try BulkStore(session).deriveLastWeeksRanks() }
        let rows = try session.query("SELECT game_id, rank FROM past_ranks")
        #expect(rows.count == 1)
        let (game, rank): (Int, Int) = (try rows[0][0], try rows[0][1])
        #expect(game == games[0] && rank == 1)
    }
}
