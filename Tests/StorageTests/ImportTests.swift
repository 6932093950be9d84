import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("An import of games from elsewhere", .blocking)
struct ImportTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase(.migrated)
        try database.session().execute(
            """
            INSERT INTO platforms (id, slug, name) VALUES
                (6, 'win', 'PC'), (48, 'ps4', 'PlayStation 4'), (130, 'switch', 'Switch');
            INSERT INTO games (id, name, release_year, rating_count) VALUES
                (71, 'Portal', 2007, 50), (72, 'Portal 2', 2011, 50),
                (1, 'Pokémon: Let''s Go!', 2018, 5), (2, 'Final Fantasy VII', 1997, 90),
                (3, 'Resident Evil 4', 2005, 80), (4, 'Resident Evil 4', 2023, 60),
                (5, 'Doom', 1993, 10), (6, 'DOOM', 2016, 70), (7, '???', 2000, 1);
            INSERT INTO game_platforms VALUES
                (71, 6), (71, 130), (72, 6), (1, 130), (2, 6), (2, 48), (3, 6), (4, 48), (4, 6),
                (5, 6), (6, 48), (7, 6)
            """)
    }

    private static func row(
        _ name: String, id: Int? = nil, isIGDBs: Bool = false, on platforms: [Int] = [],
        named: String? = nil,
        year: Int? = nil
    ) -> ImportedRow {
        var row = ImportedRow(line: 2)
        row.name = name
        row.gameID = id
        row.isIGDBsID = isIGDBs
        row.platformIDs = platforms
        row.platforms = named ?? platforms.map(String.init).joined(separator: ", ")
        row.releaseYear = year
        return row
    }

    /// What is found for rows, in their order.
    private func find(_ rows: [ImportedRow]) async throws -> [ImportRow] {
        let rob = try database.makeUser("rob-\(UUID().text.prefix(8))")
        return try await withStore(database) { store in
            let begun = try #require(
                try await store.beginImport(StoredImport(rows), fileName: "", userID: rob))
            try await store.finishImport(id: begun.id)
            let found = try await store.importRows(userID: rob, areSuggested: true, limit: 100)
            let others = try await store.importRows(userID: rob, areSuggested: false, limit: 100)
            let done = try #require(try await store.gameImport(userID: rob))
            #expect(done.state == .done)
            #expect(done.doneCount == rows.count && done.suggestedCount == found.rows.count)
            #expect(found.rows.allSatisfy { $0.finding.isSuggested && $0.game != nil })
            #expect(others.rows.allSatisfy { !$0.finding.isSuggested })
            return (found.rows + others.rows).sorted { $0.place < $1.place }
        }
    }

    @Test("finds games by names, and what a search finds")
    func names() async throws {
        try database.session().execute(
            """
            INSERT INTO games (id, name, release_year) VALUES
                (8, 'The Witcher 3: Wild Hunt', 2015), (9, 'The Elder Scrolls V: Skyrim', 2011),
                (10, 'Far Cry 5', 2018);
            INSERT INTO game_names (game_id, name) VALUES
                (2, 'ファイナルファンタジーVII'), (8, '巫师3：狂猎'), (5, 'Portal')
            """)
        let found = try await find([
            Self.row("PORTAL"), Self.row("portal ii"), Self.row("pokemon lets go"),
            Self.row("Final Fantasy 7"), Self.row("ﾌｧｲﾅﾙﾌｧﾝﾀｼﾞｰ7"), Self.row("The Witcher 3"),
            Self.row("Witcher 3, The"), Self.row("巫师3"), Self.row("The Elder Scrolls® V: Skyrim™"),
            Self.row("Elder Scrolls V, The: Skyrim (2011)"), Self.row("Residnet Evil 4"),
            Self.row("Doom 2016"), Self.row("Far Cry 6"), Self.row("Far Cry"),
            Self.row("Nothing of the kind"), Self.row("!!!"),
            Self.row("(PC)"),
        ])
        #expect(
            found.map(\.game?.id)
                == [71, 72, 1, 2, 2, 8, 8, 8, 9, 9, 3, 6, nil, nil, nil, nil, nil])
        #expect(found.suffix(5).allSatisfy { $0.finding == .noGame })
    }

    @Test("takes a number for IGDB's if the file proves it, or the name agrees")
    func ids() async throws {
        try database.session().execute(
            "INSERT INTO game_names (game_id, name) VALUES (5, 'The Original')")
        func games(isIGDBs: Bool) async throws -> [Int?] {
            try await find([
                Self.row("Portal", id: 71, isIGDBs: isIGDBs),
                Self.row("An old name", id: 5, isIGDBs: isIGDBs),
                Self.row("Portal", id: 72, isIGDBs: isIGDBs), Self.row("", id: 3, isIGDBs: isIGDBs),
                Self.row("Resident Evil 4", id: 4, isIGDBs: isIGDBs),
                Self.row("The Original", id: 5, isIGDBs: isIGDBs),
                Self.row("Portal", id: 99, isIGDBs: isIGDBs),
                Self.row("Nobody's", id: 99, isIGDBs: isIGDBs),
            ]).map(\.game?.id)
        }
        #expect(try await games(isIGDBs: true) == [71, 5, 72, 3, 4, 5, 71, nil])
        #expect(try await games(isIGDBs: false) == [71, nil, 71, nil, 4, 5, 71, nil])
    }

    @Test("chooses among games of one name by platform and year")
    func several() async throws {
        let found = try await find([
            Self.row("Resident Evil 4"), Self.row("Resident Evil 4", year: 2023),
            Self.row("Resident Evil 4", on: [48], year: 2005), Self.row("doom", year: 1994),
            Self.row("doom", on: [48]),
        ])
        #expect(found.map(\.game?.id) == [3, 4, 4, 5, 6])
        #expect(
            found.map(\.finding) == [.severalGames, .found, .found, .found, .found])
        #expect(found[0].candidates == 2)
    }

    @Test("suggests the file's platform, unless it is unknown, or the game isn't there")
    func platforms() async throws {
        let found = try await find([
            Self.row("Portal", on: [6]), Self.row("Portal", on: [48]), Self.row("Portal 2"),
            Self.row("Portal 2", named: "Amiga"), Self.row("Final Fantasy VII", on: [6, 48]),
            Self.row("Final Fantasy VII", on: [48, 130]),
        ])
        #expect(found.map(\.platform?.id) == [6, nil, nil, nil, nil, 48])
        #expect(
            found.map(\.finding)
                == [.found, .notOnPlatform, .found, .duplicate, .found, .found])
        let unknown = try await find([Self.row("Portal 2", named: "Amiga")])
        #expect(unknown.map(\.finding) == [.unknownPlatform])
        #expect(unknown[0].finding == .unknownPlatform && unknown[0].platforms == "Amiga")
    }

    @Test("has each game once, also across the batches that are looked up together")
    func duplicates() async throws {
        let rob = try database.makeUser("rob")
        let count = ImportQueries.matchedAtOnce * 2 + 10
        let rows = (0..<count).map { Self.row($0.isMultiple(of: 2) ? "Portal" : "Portal 2") }
        try await withStore(database) { store in
            let begun = try #require(
                try await store.beginImport(StoredImport(rows), fileName: "a.csv", userID: rob))
            #expect(begun.state == .running)
            try await store.finishImport(id: begun.id)
            let done = try #require(try await store.gameImport(userID: rob))
            #expect((done.doneCount, done.suggestedCount) == (count, 2))
        }
    }

    @Test("goes through pages in the order of the import, forwards and back")
    func pages() async throws {
        let rob = try database.makeUser("rob")
        try database.session().execute(
            """
            INSERT INTO games (id, name) SELECT 1000 + n, 'Game ' || n FROM generate_series(1, 25) n
            """)
        let rows = (1...25).map { Self.row("Game \($0)") }
        try await withStore(database) { store in
            let begun = try #require(
                try await store.beginImport(StoredImport(rows), fileName: "", userID: rob))
            try await store.finishImport(id: begun.id)
            func page(_ cursor: ImportCursor? = nil) async throws -> ImportRows {
                try await store.importRows(userID: rob, areSuggested: true, limit: 10, at: cursor)
            }
            let first = try await page()
            let second = try await page(first.next)
            let third = try await page(second.next)
            #expect(
                [first, second, third].map { $0.rows.map(\.place) }
                    == [Array(1...10), Array(11...20), Array(21...25)])
            #expect(first.previous == nil && third.next == nil)
            let back = try await page(third.previous)
            #expect(back.rows.map(\.place) == Array(11...20))
            #expect(try await page(back.previous).rows.map(\.place) == Array(1...10))
            let some = try await store.importRows(userID: rob, places: [7, 3, 99])
            #expect(some.map(\.place) == [3, 7])
        }
    }

    @Test("is one at a time, whoever begins at once")
    func race() async throws {
        let rob = try database.makeUser("rob")
        let rows = StoredImport([Self.row("Portal")])
        for _ in 0..<10 {
            let begun = Counter()
            let refused = Counter()
            try await withStores(4, database, connections: 1) { _, store in
                do {
                    _ = try await store.beginImport(rows, fileName: "", userID: rob)
                    begun.increment()
                } catch is ImportRunningError {
                    refused.increment()
                }
            }
            #expect(begun.value == 1)
            #expect(refused.value == 3)
            let session = try database.session()
            #expect(try session.query("SELECT count(*) FROM import_rows")[0][0] == 1)
            try session.execute("UPDATE imports SET state = 'failed'")
        }
    }

    @Test("is finished by others if its server is gone, and counted once if two do it at once")
    func takenOver() async throws {
        let rob = try database.makeUser("rob")
        let rows = StoredImport((0..<2000).map { _ in Self.row("Portal") })
        try await withStore(database) { store in
            let begun = try #require(
                try await store.beginImport(rows, fileName: "", userID: rob))
            // A server did a part of it, and then stopped.
            _ = try await store.database.query(ImportQueries.match, [.uuid(begun.id), .int(250)])
            func pass(_ interval: String) throws {
                try self.database.session().execute(
                    "UPDATE imports SET worked_at = worked_at - interval '\(interval)'")
            }
            // Repeated in case this test was kept from going on for as long as a server may be.
            try await eventually("that it was worked on a moment ago") {
                try self.database.session().execute(
                    "UPDATE imports SET worked_at = clock_timestamp()")
                return try await store.takeOverImport(userID: rob) == nil
            }
            try pass("16 seconds")
            #expect(try await store.takeOverImport(userID: UUID()) == nil)
            #expect(try await store.takeOverImport(userID: rob) == begun.id)
            // By a clock that was wrong.
            try pass("-1 hour")
            #expect(try await store.takeOverImport(userID: rob) == begun.id)
            try await eventually("that it is noted each time") {
                try pass("10 minutes")
                #expect(try await store.takeOverImport(userID: rob) == begun.id)
                return try await store.takeOverImport(userID: rob) == nil
            }
        }
        let id: UUID = try database.session().query("SELECT id FROM imports")[0][0]
        try await withStores(3, database, connections: 1) { _, store in
            try await store.finishImport(id: id)
        }
        // The last of them may have found rows locked that another one then finished.
        let session = try database.session()
        let done: Int = try session.query("SELECT done_count FROM imports")[0][0]
        let found: Int = try session.query(
            "SELECT count(*) FROM import_rows WHERE finding IS NOT NULL")[0][0]
        #expect((done, found) == (2000, 2000))
        #expect(try session.query("SELECT state FROM imports")[0][0] == "done")
    }

    @Test(
        "can be deleted while games are looked for, and so can the account",
        arguments: [true, false])
    func deletedMeanwhile(isAccount: Bool) async throws {
        let rob = try database.makeUser("rob")
        let rows = StoredImport((0..<2000).map { _ in Self.row("Portal") })
        let database = database
        let begun = try await withStore(database) { store in
            try await store.beginImport(rows, fileName: "", userID: rob)
        }
        let id = try #require(begun?.id)
        async let finishing: Void = withStore(database) { store in
            try await store.finishImport(id: id)
        }
        try await eventually("the first rows") {
            let session = try database.session()
            let done: Int = try session.query("SELECT done_count FROM imports")[0][0]
            return done > 0
        }
        // Without retries, so that a deadlock would be seen.
        try database.session().execute(isAccount ? "DELETE FROM users" : "DELETE FROM imports")
        try await finishing
        #expect(try rowCount() == 0)
    }

    @Test("that was left behind is finished by maintenance")
    func maintenance() async throws {
        let people = try ["rob", "ada"].map { try database.makeUser($0) }
        try await withStore(database) { store in
            for person in people {
                _ = try await store.beginImport(
                    StoredImport([Self.row("Portal")]), fileName: "", userID: person)
            }
            try self.database.session().execute(
                "UPDATE imports SET worked_at = now() - interval '1 minute'")
            #expect(try await store.maintain(.finishImports))
            for person in people {
                #expect(try await store.gameImport(userID: person)?.state == .done)
            }
        }
    }

    @Test("fails for good if it can't be done, and can be brought again")
    func failure() async throws {
        let rob = try database.makeUser("rob")
        let rows = StoredImport([Self.row("Portal")])
        try await withStore(database) { store in
            let begun = try #require(
                try await store.beginImport(rows, fileName: "", userID: rob))
            try self.database.session().execute("ALTER FUNCTION imported_game RENAME TO lost")
            await #expect(throws: PostgresError.self) { try await store.finishImport(id: begun.id) }
            #expect(try await store.gameImport(userID: rob)?.state == .failed)
            try self.database.session().execute("ALTER FUNCTION lost RENAME TO imported_game")
            let again = try #require(
                try await store.beginImport(rows, fileName: "", userID: rob))
            #expect(again.id != begun.id)
            try await store.finishImport(id: again.id)
            #expect(try await store.gameImport(userID: rob)?.state == .done)
        }
    }

    private func rowCount() throws -> Int {
        try database.session().query("SELECT count(*) FROM import_rows")[0][0]
    }

    @Test("is its owner's alone, goes with them, and expires")
    func ownership() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        try await withStore(database) { store in
            let rows = StoredImport([Self.row("Portal")])
            for person in [rob, ada] {
                let begun = try #require(
                    try await store.beginImport(rows, fileName: "", userID: person))
                try await store.finishImport(id: begun.id)
            }
            #expect(try await store.beginImport(rows, fileName: "", userID: UUID()) == nil)
            try await store.deleteImport(userID: rob)
            #expect(try await store.gameImport(userID: rob) == nil)
            #expect(
                try await store.importRows(userID: rob, areSuggested: true, limit: 9).rows.isEmpty)
            #expect(try await store.importRows(userID: rob, places: [1]).isEmpty)
            #expect(try await store.importRows(userID: ada, places: [1]).count == 1)
            #expect(try self.rowCount() == 1)
            #expect(try await store.deleteUser(id: ada))
            #expect(try self.rowCount() == 0)

            _ = try await store.beginImport(rows, fileName: "", userID: rob)
            try self.database.session().execute(
                "UPDATE imports SET made_at = now() - interval '30 days 1 minute'")
            #expect(try await store.gameImport(userID: rob) == nil)
            #expect(try await !store.deleteExpired(.imports))
            #expect(try self.rowCount() == 0)
        }
    }

    @Test("with more rows or longer texts than there may be is refused by PostgreSQL")
    func constraints() throws {
        let session = try database.session()
        _ = try database.makeUser("rob")
        func refuses(_ sql: String, _ constraint: String) {
            let error = #expect(throws: PostgresError.self) { try session.execute(sql) }
            #expect(error?.constraint == constraint)
        }
        func add(_ values: String) -> String {
            "INSERT INTO imports (user_id, file_name, row_count, done_count) SELECT id, \(values) FROM users"
        }
        refuses(add("'', 10001, 0"), "imports_row_count_check")
        refuses(add("'', 0, 0"), "imports_row_count_check")
        refuses(add("'', 5, 6"), "imports_check")
        refuses(add("repeat('x', 101), 1, 0"), "imports_file_name_check")
        try session.execute(add("'', 1, 0"))
        refuses(add("'', 1, 0"), "imports_user_key")
        refuses(
            """
            INSERT INTO import_rows (import_id, place, line, name, named_platforms, platform_ids, score,
                                     comment, tags, shelf, dated, finding)
            SELECT id, 1, 1, '', '', '{}', '', '', '', '', '', 'found' FROM imports
            """, "import_rows_check")
    }
}

@Suite("Related games", .blocking)
struct RelatedGameTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [pc], 6)
    }

    /// Makes people who have these games, by their numbers.
    private func make(
        _ count: Int, _ numbers: [Int], _ visibility: String = "public"
    ) throws {
        let session = try database.session()
        for _ in 0..<count {
            let name = "user-" + UUID().text.prefix(8)
            let user = try database.makeUser(name)
            try session.query(
                "UPDATE users SET visibility = $2 WHERE id = $1", [.uuid(user), .text(visibility)])
            try session.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id, audience)
                SELECT $1::uuid, g.n, g.id, 6, l.audience
                FROM unnest($2::integer[]) WITH ORDINALITY g (id, n), lists l
                WHERE l.user_id = $1::uuid
                """, [.uuid(user), .ints(numbers.map { games[$0] })])
        }
    }

    private func related(_ number: Int = 0) async throws -> [Int] {
        let id = games[number]
        let found = try await withStore(database) {
            try await $0.relatedGames(to: id, limit: 10).map(\.game.id)
        }
        return found.compactMap { games.firstIndex(of: $0) }
    }

    @Test("share several lists, and those that are on all lists come later")
    func order() async throws {
        try make(3, [0, 1, 2])
        try make(1, [0, 3])
        try make(20, [2])
        #expect(try await related() == [1, 2])
        #expect(try await related(3) == [])
        #expect(try await related(2) == [1, 0])
    }

    @Test("are those of public lists only, at once")
    func privacy() async throws {
        try make(5, [0, 1], "unlisted")
        try make(5, [0, 2], "private")
        try make(2, [0, 3])
        #expect(try await related() == [3])
        let session = try database.session()
        try session.execute("UPDATE users SET disabled_at = now() WHERE visibility = 'public'")
        #expect(try await related() == [])
        try session.execute("UPDATE users SET visibility = 'public' WHERE visibility = 'unlisted'")
        #expect(try await related() == [1])
    }

    @Test("count a list once that has a game on two platforms")
    func platforms() async throws {
        let both = try database.games(on: [pc, ps4], 2)
        let rob = try database.makeUser("rob")
        try database.session().query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            VALUES ($1, 1, $2, 6), ($1, 2, $2, 48), ($1, 3, $3, 6), ($1, 4, $3, 48)
            """, [.uuid(rob), .int(both[0]), .int(both[1])])
        let found = try await withStore(database) {
            try await $0.relatedGames(to: both[0], limit: 10)
        }
        #expect(found.isEmpty)
    }
}
