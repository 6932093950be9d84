import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("snapshots", .blocking)
struct SnapshotTests {
    private let database: TestDatabase
    private let games: [Int]
    private let rob: UUID
    private let year: Int

    init() async throws {
        try await waitOutYearsEnd()
        database = try TestDatabase()
        games = try database.games(on: [ps4], 10)
        rob = try database.makeUser("rob")
        year = try database.session().query(
            "SELECT extract(year FROM now() AT TIME ZONE 'UTC')::integer")[0][0]
    }

    private static func title(_ text: String = "My five") throws -> SnapshotTitle {
        try #require(SnapshotTitle(text))
    }

    private func slug(_ text: String) throws -> SnapshotSlug { try #require(SnapshotSlug(text)) }

    private func picks(_ places: Int...) -> [Pick] {
        places.map { Pick(game: games[$0], platform: ps4) }
    }

    /// Of the snapshots, with whom they belong to and what year they are for.
    private func snapshot() throws -> [String] {
        try database.session().query(
            """
            SELECT coalesce(array_agg(u.username || ' ' || k.slug || coalesce(' ' || k.year, '')
                                      ORDER BY u.username, k.taken_at), '{}')
            FROM snapshots k JOIN users u ON u.id = k.user_id
            """)[0][0]
    }

    private func refuses(
        _ sql: String, _ constraint: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: PostgresError.self, "\(sql)", sourceLocation: location) {
            try database.session().execute(sql)
        }
        #expect(error?.constraint == constraint, "\(sql)", sourceLocation: location)
    }

    // MARK: What is in a snapshot

    @Test("stay what they were, whatever becomes of the list")
    func constancy() async throws {
        try await withStore(database) { [rob, games, year] store async throws in
            try await store.put(picks(0, 1, 2), for: rob, comment: "Then.")
            let first = try await store.takeSnapshot(
                userID: rob, title: Self.title("A “first” one"))
            #expect(first.summary.slug == "\(year)-1" && first.summary.title == "A “first” one")
            #expect(first.entries.map(\.game.id) == Array(games[0...2]))
            #expect(first.entries.allSatisfy { $0.comment == "Then." })
            #expect(first.previous == nil && first.gone.isEmpty)

            try await store.put(picks(3, 0, 2), for: rob, comment: "Now.")
            let second = try await store.takeSnapshot(userID: rob, title: Self.title())
            #expect(second.summary.slug == "\(year)-2")
            #expect(second.previous?.slug == "\(year)-1")
            #expect(second.entries.map(\.previousPosition) == [nil, 1, 3])
            #expect(second.gone.map(\.game.id) == [games[1]])

            let again = try await store.snapshot(
                username: "rob", slug: slug("\(year)-1"), seenBy: nil)
            #expect(again?.entries == first.entries && again?.previous == nil)
            let all = try await store.snapshots(username: "rob", seenBy: nil)
            #expect(all?.lists.map(\.slug) == ["\(year)-2", "\(year)-1"])

            // The number of one that is deleted is free again, and the others remain.
            try await store.deleteSnapshot(slug: slug("\(year)-1"), of: rob)
            #expect(try await store.snapshot(userID: rob, slug: slug("\(year)-1")) == nil)
            let ada = try database.makeUser("ada")
            try await store.deleteSnapshot(slug: slug("\(year)-2"), of: ada)
            #expect(try snapshot() == ["rob \(year)-2"])
            #expect(
                try await store.takeSnapshot(userID: rob, title: Self.title()).summary.slug
                    == "\(year)-1")
        }
    }

    @Test("are changed by no one, and deleted only as a whole")
    func refusals() async throws {
        try await withStore(database) { [rob] store async throws in
            try await store.put(picks(0, 1), for: rob, comment: "Then.")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
        }
        for sql in [
            "UPDATE snapshots SET title = 'Another'", "UPDATE snapshots SET taken_at = now()",
        ] { try refuses(sql, "snapshots_constant") }
        for sql in [
            "UPDATE snapshot_entries SET comment = ''",
            "UPDATE snapshot_entries SET hidden_by = 1, rating = 5",
            "UPDATE snapshot_entries SET game_id = \(games[5]) WHERE position = 1",
            "DELETE FROM snapshot_entries WHERE position = 2",
            """
            INSERT INTO snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id,
                                          comment, tags)
            SELECT id, 3, gen_random_uuid(), \(games[5]), 48, '', '{}' FROM snapshots
            """,
        ] { try refuses(sql, "snapshot_entries_constant") }
        func insertion(_ columns: String, _ values: String) -> String {
            """
            INSERT INTO snapshots (user_id, title, shows_ratings, \(columns))
            SELECT id, 'x', false, \(values) FROM users
            """
        }
        let columns = "slug, place, size"
        try refuses(insertion(columns, "'embed', 2, 1"), "snapshots_slug_check")
        try refuses(insertion(columns, "'2026-0', 2, 1"), "snapshots_slug_check")
        // A year's address belongs to the yearly one, and the yearly one to that address.
        try refuses(insertion(columns, "'2026', 2, 1"), "snapshots_slug_check")
        let yearly = "slug, year, size"
        for slug in ["2026-1", "2025"] {
            try refuses(insertion(yearly, "'\(slug)', 2026, 1"), "snapshots_slug_check")
        }
        try refuses(
            insertion(yearly, "'2026', 2026, 1") + ", generate_series(1, 2)", "snapshots_slug_key")
        try refuses(insertion(columns, "'1999-1', 41, 1"), "snapshots_place_check")
        try refuses(insertion(columns, "'1999-1', NULL, 1"), "snapshots_limit")
        try refuses(insertion(columns, "'1999-1', 1, 1"), "snapshots_place_key")
        try refuses(insertion(columns, "'1999-1', 2, 0"), "snapshots_size_check")
        try database.session().execute("DELETE FROM entries; DELETE FROM included_by")
        try refuses("DELETE FROM games WHERE id = \(games[0])", "snapshot_entries_game_id_fkey")
        // A game that is no longer on the platform is no reason to lose it.
        try database.session().execute("DELETE FROM game_platforms WHERE game_id = \(games[0])")
        try database.session().execute("UPDATE snapshot_entries SET hidden_by = 1")
        try database.session().execute("DELETE FROM users")
        #expect(try database.session().query("SELECT count(*) FROM snapshot_entries")[0][0] == 0)
    }

    @Test("have at least one game")
    func empty() async throws {
        try await withStore(database) { [rob] store async throws in
            for user in [rob, UUID()] {
                await #expect(throws: SnapshotError.empty) {
                    try await store.takeSnapshot(userID: user, title: Self.title())
                }
            }
        }
        #expect(try snapshot() == [])
    }

    // MARK: Races

    @Test("are forty at most, however many are taken at once")
    func limit() async throws {
        try database.insert([games[0]], for: rob)
        _ = try database.session().query(
            "SELECT take_snapshot($1, 'One', NULL) FROM generate_series(1, 39)", [.uuid(rob)])
        let (made, refused) = (Counter(), Counter())
        try await withStores(2, database, connections: 4) { [rob] _, store in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        do {
                            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
                            made.increment()
                        } catch SnapshotError.tooMany {
                            refused.increment()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(made.value == 1 && refused.value == 7)
        #expect(try snapshot().count == 40)
        try await withStore(database) { [rob, year] store async throws in
            try await store.deleteSnapshot(slug: slug("\(year)-7"), of: rob)
            let next = try await store.takeSnapshot(userID: rob, title: Self.title())
            #expect(next.summary.slug == "\(year)-7")
        }
    }

    @Test("are each one version of a list that is being saved")
    func consistency() async throws {
        let versions = [Array(games[0..<5]), Array(games[5..<8])]
        try await withStore(database) { [rob] store async throws in
            _ = try await store.put(
                versions[0].map { Pick(game: $0, platform: ps4) }, for: rob, comment: "0")
        }
        try await withStores(2, database, connections: 4) { [rob] index, store in
            for round in 0..<30 {
                if index == 0 {
                    let version = round % 2
                    try await store.put(
                        versions[version].map { Pick(game: $0, platform: ps4) }, for: rob,
                        comment: "\(version)")
                } else {
                    let snapshot = try await store.takeSnapshot(userID: rob, title: Self.title())
                    let version = snapshot.entries[0].comment == "0" ? 0 : 1
                    #expect(snapshot.entries.map(\.game.id) == versions[version])
                    #expect(Set(snapshot.entries.map(\.comment)) == ["\(version)"])
                    #expect(snapshot.entries.map(\.position) == Array(1...snapshot.entries.count))
                }
            }
        }
        let incomplete: Int = try database.session().query(
            """
            SELECT count(*) FROM snapshots k
            WHERE size <> (SELECT count(*) FROM snapshot_entries WHERE snapshot_id = k.id)
            """)[0][0]
        #expect(incomplete == 0)
        #expect(try snapshot().count == 30)
        #expect(try database.brokenRules() == [])
    }

    @Test("are made once by copies of a request that come at the same time")
    func copies() async throws {
        try database.insert([games[0]], for: rob)
        let request = IdempotentRequest(
            keyHash: Array(repeating: 1, count: 32), fingerprint: Array(repeating: 2, count: 32),
            from: .user(rob))
        let repeated = Counter()
        try await withStores(2, database, connections: 4) { [rob] _, store in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        while true {
                            do {
                                let outcome = try await store.carryOut(once: request) { store in
                                    try await store.takeSnapshot(userID: rob, title: Self.title())
                                } isRefusal: { _ in
                                    true
                                } record: {
                                    Data($0.summary.slug.utf8)
                                }
                                if case .recorded = outcome { repeated.increment() }
                                return
                            } catch is RequestInProgressError {}
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(repeated.value == 7)
        #expect(try snapshot() == ["rob \(year)-1"])
    }

    // MARK: Privacy

    @Test("are seen by those who see the list, and their ratings if they could then and can now")
    func privacy() async throws {
        try database.insert([games[0]], for: rob)
        try database.session().execute("UPDATE entries SET rating = 4")
        try await withStore(database) { [rob, year] store async throws in
            let ada = try database.makeUser("ada")
            func seen(_ slug: String, by viewer: UUID?) async throws -> Snapshot? {
                try await store.snapshot(
                    username: "rob", slug: #require(SnapshotSlug(slug)), seenBy: viewer)
            }
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            try database.session().execute("UPDATE users SET shows_ratings = true")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            #expect(try await seen("\(year)-1", by: ada)?.entries.first?.rating == nil)
            #expect(try await seen("\(year)-2", by: ada)?.entries.first?.rating?.value == 4)
            try database.session().execute("UPDATE users SET shows_ratings = false")
            #expect(try await seen("\(year)-2", by: ada)?.entries.first?.rating == nil)
            let own = try await store.snapshot(userID: rob, slug: slug("\(year)-1"))
            #expect(own?.entries.first?.rating?.value == 4)

            try database.set(.unlisted, of: rob)
            #expect(try await seen("\(year)-1", by: nil) != nil)
            try database.set(.private, of: rob)
            for viewer in [nil, ada] {
                #expect(try await seen("\(year)-1", by: viewer) == nil)
                #expect(try await store.snapshots(username: "rob", seenBy: viewer) == nil)
            }
            #expect(try await seen("\(year)-1", by: rob) != nil)
            try database.set(.public, of: rob)
            try database.setDisabled(true, rob)
            #expect(try await seen("\(year)-1", by: rob) == nil)
        }
    }

    /// Opens a case about an entry of rob's, and returns its number.
    private func openCase(position: Int) throws -> Int {
        try database.session().query(
            """
            INSERT INTO cases (kind, user_id, entry_id)
            SELECT 'entry', user_id, id FROM entries WHERE user_id = $1 AND position = $2
            RETURNING id
            """, [.uuid(rob), .int(position)])[0][0]
    }

    /// The comments of one of rob's snapshots, as everyone sees them.
    private func comments(of slug: String, _ store: Store) async throws -> [String] {
        try await store.snapshot(
            username: "rob", slug: #require(SnapshotSlug(slug)), seenBy: nil)?
            .entries.map(\.comment) ?? []
    }

    private func makeModerator() throws -> UUID {
        let ann = try database.makeUser("ann")
        try database.session().execute("UPDATE users SET role = 'moderator' WHERE username = 'ann'")
        return ann
    }

    @Test("lose a comment that its author has taken back, and by the latest action that hides it")
    func takenBack() async throws {
        let ann = try makeModerator()
        try await withStore(database) { [rob, year] store async throws in
            func say(_ text: String) throws {
                try self.database.session().query(
                    "UPDATE entries SET comment = $1 WHERE user_id = $2", [.text(text), .uuid(rob)])
            }
            func hide() async throws -> Int {
                let decided = try await store.decide(
                    caseID: openCase(position: 1), .hideComment, reason: .empty, by: ann)
                #expect(decided == .done)
                return try #require(try await store.moderationLog().first?.id)
            }
            try await store.put(picks(1), for: rob)
            try say("Vile.")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            try say("")
            #expect(try await comments(of: "\(year)-1", store) == ["Vile."])
            let first = try await hide()
            #expect(try await comments(of: "\(year)-1", store) == [""])
            try say("Vile.")
            _ = try await hide()
            try self.database.session().execute("DELETE FROM entries")
            #expect(try await store.undo(actionID: first, reason: .empty, by: ann) != .done)
            #expect(try await comments(of: "\(year)-1", store) == [""])
        }
    }

    @Test("lose a comment that a moderator hides, and have it back once that is undone")
    func hiding() async throws {
        let ann = try makeModerator()
        try await withStore(database) { [rob, year] store async throws in
            func save(_ comments: String...) async throws {
                _ = try await store.changeList(userID: rob) { list in
                    try ListDraft(
                        zip(self.picks(0, 1, 2), comments).map { pick, text in
                            DraftEntry(
                                gameID: pick.game, platformID: pick.platform,
                                comment: try Comment(text))
                        }, replacing: list)
                }
            }
            // What is hidden, as it was written first; the same words at another game; and another.
            try await save("Vile!", "Fine.", "Vile words.")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            try await save("Vile words.", "Fine.", "Good.")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            let decided = try await store.decide(
                caseID: openCase(position: 1), .hideComment, reason: .empty, by: ann)
            #expect(decided == .done)
            #expect(try await comments(of: "\(year)-1", store) == ["", "Fine.", ""])
            #expect(try await comments(of: "\(year)-2", store) == ["", "Fine.", "Good."])
            // In a snapshot that is taken from now on, it isn't there in the first place.
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            #expect(try await comments(of: "\(year)-3", store) == ["", "Fine.", "Good."])

            // The entry goes, but what the snapshot has is still hidden, and can still be shown again.
            try await store.put(picks(5), for: rob)
            #expect(try await comments(of: "\(year)-2", store) == ["", "Fine.", "Good."])
            let log = try await store.moderationLog()
            #expect(log.first?.isInForce == true)
            let notices = try await store.moderationNotices(userID: rob)
            #expect(["Vile!", "Vile words."].contains(notices.first?.comment ?? ""))
            let action = try #require(log.first?.id)
            #expect(try await store.undo(actionID: action, reason: .empty, by: ann) == .done)
            #expect(
                try await comments(of: "\(year)-1", store) == ["Vile!", "Fine.", "Vile words."])
            #expect(
                try await comments(of: "\(year)-2", store) == ["Vile words.", "Fine.", "Good."])
            #expect(try await comments(of: "\(year)-3", store) == ["", "Fine.", "Good."])
            #expect(try await store.moderationLog().last?.isInForce == false)
            #expect(try await store.undo(actionID: action, reason: .empty, by: ann) == .gone)
        }
    }

    @Test("stay without a comment while another action hides the same words")
    func hiddenTwice() async throws {
        let ann = try makeModerator()
        try await withStore(database) { [rob, year] store async throws in
            try await store.put(picks(0, 1), for: rob, comment: "Vile.")
            _ = try await store.takeSnapshot(userID: rob, title: Self.title())
            var actions: [Int] = []
            for position in 1...2 {
                let decided = try await store.decide(
                    caseID: openCase(position: position), .hideComment, reason: .empty, by: ann)
                #expect(decided == .done)
                actions.append(try #require(try await store.moderationLog().first?.id))
            }
            #expect(try await comments(of: "\(year)-1", store) == ["", ""])
            #expect(try await store.undo(actionID: actions[1], reason: .empty, by: ann) == .done)
            #expect(try await comments(of: "\(year)-1", store) == ["", ""])
            #expect(try await store.undo(actionID: actions[0], reason: .empty, by: ann) == .done)
            #expect(try await comments(of: "\(year)-1", store) == ["Vile.", "Vile."])
        }
    }

    @Test("never have a comment that was hidden while the snapshot was taken")
    func hidingRace() async throws {
        let ann = try makeModerator()
        for _ in 0..<20 {
            try database.session().execute("DELETE FROM snapshots")
            try await withStore(database) { [rob] store async throws in
                try await store.put([], for: rob)
                try await store.put(picks(0), for: rob, comment: "Vile.")
            }
            let number = try openCase(position: 1)
            try await withStores(2, database, connections: 1) { [rob] index, store in
                if index == 0 {
                    _ = try await store.takeSnapshot(userID: rob, title: Self.title())
                } else {
                    let outcome = try await store.decide(
                        caseID: number, .hideComment, reason: .empty, by: ann)
                    #expect(outcome == .done)
                }
            }
            let visible: Int = try database.session().query(
                "SELECT count(*) FROM snapshot_entries WHERE comment <> '' AND hidden_by IS NULL")[
                    0][0]
            #expect(visible == 0)
        }
    }

    // MARK: Years

    /// Makes people with lists who want yearly snapshots.
    private func makeYearlyUsers(_ count: Int, next: Int) throws {
        _ = try database.session().query(
            """
            WITH made AS (
                INSERT INTO users (username, display_name, next_snapshot_year)
                SELECT 'keeper-' || n, 'Keeper', $1 FROM generate_series(1, $2::integer) n
                RETURNING id
            )
            SELECT FROM made
            """, [.int(next), .int(count)])
        _ = try database.session().query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            SELECT id, 1, $1, 48 FROM users WHERE username LIKE 'keeper-%'
            """, [.int(games[0])])
    }

    private func next(_ username: String) throws -> Int? {
        try database.session().query(
            "SELECT next_snapshot_year::integer FROM users WHERE username = $1", [.text(username)])[
                0][
                0]
    }

    @Test("are made on the last day of the year, for those who want it")
    func lastDay() async throws {
        try database.insert([games[0]], for: rob)
        try makeYearlyUsers(1, next: year)
        try await withStore(database) { [year] store async throws in
            for day in ["\(year)-12-30", "\(year)-06-01", "\(year + 1)-02-01"] {
                try await store.takeYearlySnapshots(on: day)
            }
            #expect(try snapshot() == [])
            for _ in 0..<2 { try await store.takeYearlySnapshots(on: "\(year)-12-31") }
            #expect(try snapshot() == ["keeper-1 \(year) \(year)"])
            #expect(try next("keeper-1") == year + 1)
            let list = try await store.snapshot(
                username: "keeper-1", slug: slug("\(year)"), seenBy: nil)
            #expect(list?.summary.title == "My five, \(year)")
            // Someone who deletes it doesn't get it again.
            try database.session().execute("DELETE FROM snapshots")
            try await store.takeYearlySnapshots(on: "\(year)-12-31")
            #expect(try snapshot() == [])
        }
    }

    @Test("are made in January if no server was running, of lists that have not changed since")
    func january() async throws {
        try makeYearlyUsers(2, next: year)
        try await withStore(database) { [year] store async throws in
            // The year before has ended, and these lists are of this year.
            try database.session().execute(
                "UPDATE users SET next_snapshot_year = \(year - 1) WHERE username = 'keeper-2'")
            try await store.takeYearlySnapshots(on: "\(year)-01-05")
            #expect(try snapshot() == [])
            #expect(try next("keeper-1") == year, "not due yet")
            #expect(try next("keeper-2") == year, "what it was isn't known")
            try await store.takeYearlySnapshots(on: "\(year + 1)-01-31")
            #expect(try snapshot() == ["keeper-1 \(year) \(year)", "keeper-2 \(year) \(year)"])
        }
    }

    @Test("are left out if they have the same games in the same order as those of the year before")
    func unchanged() async throws {
        try makeYearlyUsers(1, next: year)
        try await withStore(database) { [year, games] store async throws in
            let keeper = try #require(try await store.user(username: "keeper-1", seenBy: nil)).id
            // One that they took themselves doesn't stand in for the year's, nor has its address.
            _ = try await store.takeSnapshot(userID: keeper, title: Self.title())
            try await store.takeYearlySnapshots(on: "\(year)-12-31")
            let first = ["keeper-1 \(year)-1", "keeper-1 \(year) \(year)"]
            #expect(try snapshot() == first)
            try await store.put(picks(0), for: keeper, comment: "Other words.")
            try await store.takeYearlySnapshots(on: "\(year + 1)-12-31")
            #expect(try snapshot() == first)
            #expect(try next("keeper-1") == year + 2)
            try await store.put(picks(1, 0), for: keeper)
            _ = try await store.change(userID: keeper, ProfileChanges(takesYearlySnapshots: false))
            #expect(try next("keeper-1") == nil)
            try await store.takeYearlySnapshots(on: "\(year + 2)-12-31")
            #expect(try snapshot() == first)
            let changed = try await store.change(
                userID: keeper, ProfileChanges(takesYearlySnapshots: true))
            #expect(changed?.takesYearlySnapshots == true)
            #expect(try next("keeper-1") == year)
            _ = try await store.change(userID: keeper, ProfileChanges(takesYearlySnapshots: true))
            try await store.takeYearlySnapshots(on: "\(year)-12-31")
            #expect(try snapshot() == first, "there is one of this year")
            try await store.takeYearlySnapshots(on: "\(year + 1)-12-31")
            #expect(try snapshot() == first + ["keeper-1 \(year + 1) \(year + 1)"])
            let list = try await store.snapshot(
                username: "keeper-1", slug: slug("\(year + 1)"), seenBy: nil)
            #expect(list?.entries.map(\.game.id) == [games[1], games[0]])
            // Empty lists are left out, too.
            try await store.put([], for: keeper)
            try await store.takeYearlySnapshots(on: "\(year + 2)-12-31")
            #expect(try snapshot().count == 3)
        }
    }

    @Test("have the year for their address, also while others are being taken")
    func address() async throws {
        try makeYearlyUsers(20, next: year)
        let keepers: [UUID] = try database.session().query(
            "SELECT array_agg(id) FROM users WHERE username LIKE 'keeper-%'")[0][0]
        try await withStores(2, database, connections: 2) { [year] index, store in
            guard index == 0 else {
                return try await store.takeYearlySnapshots(on: "\(year)-12-31")
            }
            for keeper in keepers + keepers {
                _ = try await store.takeSnapshot(userID: keeper, title: Self.title())
            }
        }
        let all = (1...20).flatMap { number in
            ["\(year) \(year)", "\(year)-1", "\(year)-2"].map { "keeper-\(number) \($0)" }
        }
        #expect(try snapshot().sorted() == all.sorted())
    }

    @Test("are made once each, whatever the number of servers, and however often interrupted")
    func servers() async throws {
        try makeYearlyUsers(450, next: year)
        try await withStores(3, database, connections: 2) { [year] index, store in
            guard index == 0 else {
                return try await store.takeYearlySnapshots(on: "\(year)-12-31")
            }
            await withTaskGroup { group in
                group.addTask { try? await store.takeYearlySnapshots(on: "\(year)-12-31") }
                group.cancelAll()
            }
        }
        let all = (1...450).map { "keeper-\($0) \(year) \(year)" }
        #expect(try snapshot().sorted() == all.sorted())
    }

    @Test("don't count against the forty, nor do they count anywhere else")
    func uncounted() async throws {
        try database.insert([games[0]], for: rob)
        try database.session().execute("UPDATE users SET next_snapshot_year = \(year)")
        _ = try database.session().query(
            "SELECT take_snapshot($1, 'One', NULL) FROM generate_series(1, 40)", [.uuid(rob)])
        try await withStore(database) { [rob, year] store async throws in
            try await store.put(picks(1), for: rob)
            try await store.takeYearlySnapshots(on: "\(year)-12-31")
        }
        #expect(try snapshot().last == "rob \(year) \(year)")
        #expect(try database.count(of: games[0]) == 0)
        #expect(try database.count(of: games[1]) == 1)
        #expect(try database.brokenRules() == [])
    }
}
