import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("News", .blocking)
struct NewsTests {
    private let database: TestDatabase
    private let games: [Int]
    private let rob: UUID

    private var session: BlockingSession { get throws { try database.session() } }

    /// Rob has been here for ten days, with a comment.
    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4, pc], 6)
        rob = try database.makeUser("rob")
        try database.session().execute(
            "UPDATE users SET created_at = now() - interval '10 days'")
        try database.insert([games[0]], for: rob, comment: "Why.")
    }

    private func news() async throws -> News {
        try #require(try await withStore(database) { try await $0.news(of: rob) })
    }

    private func visit() throws -> NewsVisit {
        try session.row(NewsQueries.visitOfUser, [.uuid(rob)])
    }

    /// Makes someone with a list of the first games.
    private func makeMember(_ name: String, games count: Int = 1) throws -> UUID {
        let user = try database.makeUser(name)
        try database.insert(Array(games.prefix(count)), for: user)
        return user
    }

    private func follow(_ name: String) async throws {
        _ = try await withStore(database) { try await $0.follow(username: name, as: rob) }
    }

    /// What keeps someone's list from the public.
    private static let hidden = [
        "visibility = 'unlisted'", "visibility = 'private'", "disabled_at = now()",
        "new_until = now() + interval '1 hour'",
    ]

    private func forEachHidden(of name: String, _ body: (String) async throws -> Void) async throws
    {
        for change in Self.hidden {
            try session.execute("UPDATE users SET \(change) WHERE username = '\(name)'")
            try await body(change)
            try session.execute(
                """
                UPDATE users SET visibility = 'public', disabled_at = NULL, new_until = NULL
                WHERE username = '\(name)'
                """)
        }
    }

    @Test("counts the hearts of each comment, without their givers, and without disabled ones")
    func hearts() async throws {
        try session.execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'user-' || n, 'User' FROM generate_series(1, 4) n;
            INSERT INTO hearts (entry_id, user_id, given_at)
            SELECT e.id, u.id, CASE u.username WHEN 'user-1' THEN now() - interval '11 days'
                                               ELSE now() END
            FROM entries e, users u WHERE u.username LIKE 'user-%';
            """)
        func counts() async throws -> [Int] {
            try await news().items.compactMap {
                guard case .hearts(let count, let game, let position) = $0.event else { return nil }
                #expect(game.id == games[0] && position == 1)
                return count
            }
        }
        #expect(try await counts() == [3])
        #expect(try visit().hasUnseen)
        let giver: UUID = try session.query(
            "SELECT id FROM users WHERE username = 'user-2'")[0][0]
        try database.setDisabled(true, giver)
        #expect(try await counts() == [2])
        try await forEachHidden(of: "rob") { change async throws in
            #expect(try await counts().isEmpty, "\(change)")
            #expect(try !visit().hasUnseen, "\(change)")
        }
        try session.execute("UPDATE hearts SET given_at = now() - interval '11 days'")
        #expect(try await counts().isEmpty)
        #expect(try !visit().hasUnseen)
    }

    @Test("has what came onto the public lists of those whom one follows, once for each person")
    func lists() async throws {
        _ = try makeMember("ada", games: 3)
        _ = try makeMember("bo")
        #expect(try !visit().hasUnseen)
        try await follow("ada")
        try session.execute(
            """
            UPDATE entries SET created_at = now() - interval '11 days'
            WHERE position = 2 AND user_id = (SELECT id FROM users WHERE username = 'ada')
            """)
        func changes() async throws -> [String] {
            try await news().items.map {
                guard case .games(let games, let owner) = $0.event else { return "another kind" }
                return "\(owner.username) \(games.map(\.id))"
            }
        }
        let new = "ada \([games[0], games[2]])"
        #expect(try await changes() == [new])
        #expect(try visit().hasUnseen)
        // Someone who is in a circle with rob, too, is there once.
        try makeCircle("Club", of: "rob", with: ["ada"])
        try session.execute("UPDATE circle_members SET joined_at = now() - interval '20 days'")
        #expect(try await changes() == [new])
        try await forEachHidden(of: "ada") { change async throws in
            #expect(try await changes().isEmpty, "\(change)")
            #expect(try !visit().hasUnseen, "\(change)")
        }
        try session.execute("DELETE FROM follows")
        #expect(try await changes() == [new])
        #expect(try visit().hasUnseen)
        try session.execute("DELETE FROM circle_members WHERE owned IS NULL")
        #expect(try await changes().isEmpty)
        #expect(try !visit().hasUnseen)
    }

    private func makeCircle(_ name: String, of owner: String, with members: [String]) throws {
        try session.query(
            """
            WITH c AS (INSERT INTO circles (slug, name) VALUES (lower($1), $1) RETURNING id)
            INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
            SELECT c.id, u.id, row_number() OVER (ORDER BY u.username),
                   (SELECT count(*) + 1 FROM circle_members m WHERE m.user_id = u.id),
                   CASE WHEN u.username = $2 THEN
                       (SELECT count(*) + 1 FROM circle_members m
                        WHERE m.user_id = u.id AND m.owned IS NOT NULL) END
            FROM c, users u WHERE u.username = ANY ($3::text[])
            """, [.text(name), .text(owner), .texts([owner] + members)])
    }

    @Test("has those who joined one's circles after oneself, as their circles show them")
    func members() async throws {
        for name in ["ada", "bo", "cy"] { _ = try database.makeUser(name) }
        try makeCircle("Club", of: "ada", with: ["rob", "bo", "cy"])
        try makeCircle("Others", of: "ada", with: [])
        try session.execute(
            """
            UPDATE circle_members m
            SET joined_at = now() - CASE u.username WHEN 'ada' THEN interval '3 days'
                                                    WHEN 'rob' THEN interval '2 days'
                                                    WHEN 'bo' THEN interval '1 day'
                                                    ELSE interval '1 hour' END
            FROM users u WHERE u.id = m.user_id
            """)
        func joined() async throws -> [String] {
            try await news().items.map {
                guard case .members(let count, let circle, let latest) = $0.event else {
                    return "another kind"
                }
                return "\(count) \(circle.name) \(latest.displayName) \(latest.username ?? "-")"
            }
        }
        #expect(try await joined() == ["2 Club cy cy"])
        #expect(try visit().hasUnseen)
        try await forEachHidden(of: "cy") { change async throws in
            let isSuspended = change.hasPrefix("disabled")
            #expect(
                try await joined() == [isSuspended ? "1 Club bo bo" : "2 Club cy -"], "\(change)")
        }
        try session.execute(
            "UPDATE circle_members SET joined_at = now() - interval '2 days'")
        #expect(try await joined().isEmpty)
        #expect(try !visit().hasUnseen)
    }

    @Test("says how one's number one has moved, unless it fell from far below")
    func numberOne() async throws {
        func move(from rank: Int?, on day: String = "now() - interval '10 days'") async throws
            -> [Int]?
        {
            try session.execute("DELETE FROM past_ranks")
            if let rank {
                try session.query(
                    """
                    INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
                    VALUES (48, ((\(day)) AT TIME ZONE 'UTC')::date, $1, $2)
                    """, [.int(games[0]), .int(rank)])
            }
            return try await news().numberOne.map {
                #expect($0.game.id == games[0] && $0.platform.id == ps4)
                return [$0.from, $0.to]
            }
        }
        #expect(try await move(from: nil) == nil)
        #expect(try await move(from: 1) == nil)
        #expect(try await move(from: 5) == [5, 1])
        #expect(try await move(from: 5, on: "now()") == nil)
        // Two others are loved more now.
        for (name, game) in [("ada", 1), ("bo", 1), ("cy", 2), ("di", 2)] {
            try database.insert([games[game]], for: database.makeUser(name))
        }
        #expect(try await move(from: 2) == [2, 3])
        #expect(try await move(from: NumberOneMove.lastToldFall + 1) == [11, 3])
        #expect(try await move(from: 3) == nil)
        // Ranks move by themselves, and are no reason for the mark.
        #expect(try !visit().hasUnseen)
        try database.set(.private, of: rob)
        #expect(try await move(from: 5) == nil)
    }

    @Test("has a bound, and the latest come first")
    func bound() async throws {
        try session.execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'user-' || n, 'User' FROM generate_series(1, 25) n;
            INSERT INTO follows (follower_id, followed_id)
            SELECT r.id, u.id FROM users r, users u
            WHERE r.username = 'rob' AND u.username LIKE 'user-%';
            """)
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, created_at)
            SELECT id, 1, $1, 48, now() - substr(username, 6)::integer * interval '1 hour'
            FROM users WHERE username LIKE 'user-%'
            """, [.int(games[0])])
        let items = try await news().items
        #expect(items.count == News.limit)
        #expect(items.map(\.at) == items.map(\.at).sorted(by: >))
        guard case .games(_, let owner) = items[0].event else { throw TestFailure("no games") }
        #expect(owner.username == "user-1")
    }

    @Test("is since the end of the visit before, and stays for the whole visit")
    func visits() async throws {
        let created: Date = try session.query("SELECT created_at FROM users")[0][0]
        #expect(try visit() == NewsVisit(since: created, hasUnseen: false, isDue: true))
        _ = try makeMember("ada")
        try await follow("ada")
        #expect(try visit().hasUnseen)

        try await withStore(database) { store async throws in
            func see() async throws {
                store.seeNews(of: rob)
                // There is one connection for writes, so the visit is recorded before this.
                try await store.endSession(id: UUID())
            }
            func age(_ minutes: Int) throws {
                try session.execute(
                    """
                    UPDATE news_visits SET seen_at = seen_at - interval '\(minutes) minutes';
                    UPDATE entries SET created_at = created_at - interval '\(minutes) minutes'
                    """)
            }
            try await see()
            #expect(try visit() == NewsVisit(since: created, hasUnseen: false, isDue: false))
            #expect(try await news().items.count == 1)

            // Later in the same visit.
            try age(6)
            #expect(try visit() == NewsVisit(since: created, hasUnseen: false, isDue: true))
            try await see()
            #expect(try visit() == NewsVisit(since: created, hasUnseen: false, isDue: false))
            #expect(try await news().items.count == 1)

            // The next visit begins where this one ended.
            try age(31)
            let seenAt: Date = try session.query("SELECT seen_at FROM news_visits")[0][0]
            let next = try visit()
            #expect(next.since == seenAt.addingTimeInterval(-60) && !next.hasUnseen)
            #expect(try await news().items.isEmpty)
            try await see()
            try await see()
            #expect(try visit().since == next.since)

            // However long someone is away, the start is no longer ago than this.
            try age(100 * 1440)
            let days = try Date().timeIntervalSince(visit().since) / 86_400
            #expect(abs(days - Double(News.days)) < 1)

            // Nothing is left of a visit with its user.
            _ = try await store.deleteUser(id: rob)
            #expect(try await store.news(of: rob) == nil)
            try await see()
            let left: Int = try session.query("SELECT count(*) FROM news_visits")[0][0]
            #expect(left == 0)
        }
    }

    @Test("is the same for a browser's session, which says whether there is some")
    func sessions() async throws {
        try session.query(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            VALUES ($1, 'browser', sha256('x'), now() + interval '1 hour')
            """, [.uuid(rob)])
        _ = try makeMember("ada")
        for hasNews in [false, true] {
            if hasNews { try await follow("ada") }
            let digest: PostgresBytes = try session.query("SELECT sha256('x')")[0][0]
            let found = try await withStore(database) {
                try await $0.browserSession(
                    tokenHash: digest.bytes,
                    lifetime: SessionLifetime(idle: .seconds(60), absolute: .seconds(60)))
            }
            #expect(try found?.news == visit())
            #expect(found?.news.hasUnseen == hasNews)
        }
    }
}
