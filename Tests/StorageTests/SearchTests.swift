import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Searching", .blocking)
struct SearchTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase(.migrated)
        session = try database.session()
        try session.execute(
            """
            INSERT INTO platforms (id, slug, name, abbreviation) VALUES
                (48, 'ps4--1', 'PlayStation 4', 'PS4'), (6, 'win', 'PC (Microsoft Windows)', 'PC'),
                (37, 'nintendo-3ds', 'Nintendo 3DS', '3DS')
            """)
    }

    private static func text(_ text: String) throws -> SearchText { try #require(SearchText(text)) }

    private func names(
        of search: String, platform: Int? = nil, limit: Int = 20
    ) async throws -> [String] {
        let text = try Self.text(search)
        return try await withStore(database) { store in
            try await store.games(matching: text, platform: platform, limit: limit)
                .map(\.game.name.main)
        }
    }

    private func usernames(of search: String, limit: Int = 20) async throws -> [String] {
        let text = try Self.text(search)
        return try await withStore(database) { store in
            try await store.users(matching: text, limit: limit).map(\.username)
        }
    }

    @Test("for games finds the name itself first, then beginnings, words, and parts")
    func gameOrder() async throws {
        _ = try database.makeGames([
            "Supermario", "Super Mario World", "Mario Kart", "mário", "Mario", "Zelda", "A Mario",
        ])
        #expect(
            try await names(of: "MARIO") == [
                "mário", "Mario", "Mario Kart", "A Mario", "Super Mario World", "Supermario",
            ])
        #expect(try await names(of: "mario", limit: 2) == ["mário", "Mario"])
        #expect(try await names(of: "zzz") == [])
    }

    @Test(
        "for games ignores punctuation, knows first letters, and forgives a wrong letter",
        arguments: [
            ("baldurs gate", "Baldur's Gate"), ("baldur’s gate", "Baldur's Gate"),
            ("stalker", "S.T.A.L.K.E.R. 2"), ("spider man", "Spider-Man"),
            ("spider-man", "Spider-Man"), ("gta", "Grand Theft Auto V"),
            ("GTA 5", "Grand Theft Auto V"),
            ("gtav", "Grand Theft Auto V"), ("gta6", nil),
            ("botw", "The Legend of Zelda: Breath of the Wild"),
            ("elden rign", "Elden Ring"), ("eldn ring", "Elden Ring"),
            ("zelad", "The Legend of Zelda: Breath of the Wild"),
            ("zleda", "The Legend of Zelda: Breath of the Wild"),
            ("zelda botw", "The Legend of Zelda: Breath of the Wild"),
            ("wild zelda", "The Legend of Zelda: Breath of the Wild"), ("zelda wii", nil),
            ("final fantasy 7", "Final Fantasy VII"), ("ff7", "Final Fantasy VII"),
            ("FFVII", "Final Fantasy VII"), ("grand theft auto 5", "Grand Theft Auto V"),
            ("bros versus", "Super Smash Brothers vs. Axe"),
            ("smash and axe", "Super Smash Brothers vs. Axe"),
            ("super smash bros", "Super Smash Brothers vs. Axe"), ("asdfgh", nil), ("%%%", nil),
            ("___", nil), ("....", nil),
        ])
    func spellings(search: String, expected: String?) async throws {
        _ = try database.makeGames([
            "Baldur's Gate", "S.T.A.L.K.E.R. 2", "Spider-Man", "Grand Theft Auto V",
            "The Legend of Zelda: Breath of the Wild", "Elden Ring", "Golden Axe",
            "Final Fantasy VII", "Super Smash Brothers vs. Axe",
        ])
        #expect(try await names(of: search) == [expected].compactMap { $0 })
    }

    @Test("for games shows similar names only if there is none with the text")
    func similar() async throws {
        _ = try database.makeGames(["Witcher", "Witches"])
        #expect(try await names(of: "witcher") == ["Witcher"])
        #expect(try await names(of: "wicher") == ["Witcher", "Witches"])
        // Also on a platform that only a less similar one is on.
        try session.execute(
            """
            INSERT INTO game_platforms (game_id, platform_id)
            SELECT id, 37 FROM games WHERE name = 'Witches'
            """)
        #expect(try await names(of: "wicher", platform: 37) == ["Witches"])
    }

    @Test(
        "for games knows names that others write in another form",
        arguments: [
            ("The Elder Scrolls® V: Skyrim™", "The Elder Scrolls V: Skyrim"),
            ("NieR:Automata™", "Nier: Automata"), ("nier automata(tm)", "Nier: Automata"),
            ("Assassin´s Creed II", "Assassin's Creed 2"),
            ("Assassin`s Creed II", "Assassin's Creed 2"),
            ("Assassin’s Creed II", "Assassin's Creed 2"),
            ("Witcher 3, The", "The Witcher 3"), ("witcher 3, the", "The Witcher 3"),
            ("Witcher 3, The (2015)", "The Witcher 3"), ("The Witcher 3 (PS4)", "The Witcher 3"),
            ("Witcher 3, The [GOG] (2015)", "The Witcher 3"), ("(2015)", nil), ("(PS4)", nil),
            ("Elder Scrolls, The: Skyrim", "The Elder Scrolls V: Skyrim"),
            ("Elder Scrolls V, The: Skyrim", "The Elder Scrolls V: Skyrim"),
        ])
    func written(search: String, expected: String?) async throws {
        _ = try database.makeGames([
            "The Elder Scrolls V: Skyrim", "Nier: Automata", "Assassin's Creed 2", "The Witcher 3",
        ])
        #expect(try await names(of: search).first == expected)
    }

    @Test("for games chooses by a year in brackets")
    func years() async throws {
        try session.execute(
            """
            INSERT INTO games (id, name, release_year, rating_count) VALUES
                (1, 'Doom', 1993, 9), (2, 'Doom', 2016, 5), (3, 'Doom Eternal', 2020, 99)
            """)
        for (search, expected) in [
            ("doom", [1, 2, 3]), ("Doom (1993)", [1, 2, 3]), ("Doom (2016)", [2, 1, 3]),
            ("doom [2016] ", [2, 1, 3]), ("doom 2016", [2, 1, 3]), ("doom (2020)", [1, 2, 3]),
        ] {
            let text = try Self.text(search)
            let found = try await withStore(database) { store in
                try await store.games(matching: text, platform: nil, limit: 9).map(\.game.id)
            }
            #expect(found == expected, "\(search)")
        }
    }

    @Test(
        "for games knows short forms, and parts without spaces, in scripts that have none",
        arguments: [
            ("파판7", 1), ("파이널 판타지 7", 1), ("파판 VII", 1), ("파판17", 4), ("파7", 1),
            ("ゼルダ ブレスオブザワイルド", 2), ("ぶれすおぶ", 2), ("ゼルダ わいるど", 2), ("零式", 3),
            ("式零", nil), ("ファイナルファンタジ 零", 3), ("ファイナルフンタジー零式", 3), ("ゼルル伝説ブレス", 2),
            ("まったくべつのゲーム", nil), ("零", nil), ("7", nil),
        ])
    func shortForms(search: String, expected: Int?) async throws {
        try session.execute(
            """
            INSERT INTO games (id, name) VALUES
                (1, 'Final Fantasy VII'), (2, 'Breath of the Wild'), (3, 'Type-0'), (4, 'Seventeen');
            INSERT INTO game_names (game_id, name) VALUES
                (1, '파이널 판타지 VII'), (2, 'ゼルダの伝説 ブレス オブ ザ ワイルド'),
                (3, 'ファイナルファンタジー 零式'), (4, '파이널 판타지 17')
            """)
        let text = try Self.text(search)
        let found = try await withStore(database) { store in
            try await store.games(matching: text, platform: nil, limit: 9)
        }
        #expect(found.first?.game.id == expected)
    }

    @Test("for games with a short text looks at beginnings only")
    func shortTexts() async throws {
        _ = try database.makeGames(["Ōkami", "No", "Oz", "Book"])
        #expect(try await names(of: "o") == ["Ōkami", "Oz"])
        #expect(try await names(of: "OZ") == ["Oz"])
        #expect(try await names(of: "%") == [])
        #expect(try await names(of: "_o") == [])
    }

    @Test("takes wildcards and backslashes for what they are")
    func wildcards() async throws {
        _ = try database.makeGames(["100% Orange", "100 Oranges", "a_b_c", "axbxc", "back\\slash"])
        #expect(try await names(of: "100%") == ["100 Oranges", "100% Orange"])
        #expect(try await names(of: "a_b") == ["a_b_c"])
        #expect(try await names(of: "ack\\sl") == ["back\\slash"])
        #expect(try await names(of: "%%%") == [])
        #expect(try await names(of: "'; DROP TABLE games; --") == [])
    }

    @Test("for games on a platform finds only those, each with all its platforms")
    func gamesOnPlatform() async throws {
        let ids = try database.makeGames(["Hades", "Hades II"])
        try session.query("INSERT INTO game_platforms VALUES ($1, 6)", [.int(ids[1])])
        #expect(try await names(of: "hades", platform: 6) == ["Hades II"])
        #expect(try await names(of: "ha", platform: 6) == ["Hades II"])
        #expect(try await names(of: "hades", platform: 37) == [])
        try await withStore(database) { store in
            let games = try await store.games(ids: [ids[1], 5, ids[0], ids[1]])
            #expect(games.map(\.game.id) == [ids[1], ids[0]])
            #expect(games[0].platforms.map(\.id) == [6, 48])
            // By the number of games on them, as soon as they are counted.
            try await store.rankPlatforms()
            #expect(try await store.games(ids: [ids[1]]).first?.platforms.map(\.id) == [48, 6])
        }
    }

    @Test("for platforms looks at name, abbreviation and slug")
    func platforms() async throws {
        try await withStore(database) { store in
            for (search, expected) in [
                ("playstation", [48]), ("PS4", [48]), ("win", [6]), ("n", [37, 6, 48]),
                ("3ds", [37]), ("%", []),
            ] {
                let found = try await store.platforms(matching: Self.text(search))
                #expect(found.map(\.id) == expected, "\(search)")
            }
            #expect(try await store.platforms().map(\.id) == [37, 6, 48])
            #expect(try await store.platforms(ids: [48, 7, 6]).map(\.id) == [6, 48])
            #expect(try await store.platform(.slug("win"))?.id == 6)
            #expect(try await store.platform(.id(37))?.slug == "nintendo-3ds")
            #expect(try await store.platform(.slug("nope")) == nil)
        }
    }

    @Test("for people finds the handle itself first, then beginnings, then names")
    func users() async throws {
        for (username, name) in [
            ("rob", "R"), ("robin", "Robin Hood"), ("dr-rob", "Doctor"), ("zoe", "Zoë Röbling"),
            ("a_b", "Under"), ("axb", "Score"), ("percent", "100 % sure"),
        ] {
            try session.query(
                "INSERT INTO users (username, display_name) VALUES ($1, $2)",
                [.text(username), .text(name)])
        }
        #expect(try await usernames(of: "ROB") == ["rob", "robin", "dr-rob", "zoe"])
        #expect(try await usernames(of: "rob", limit: 1) == ["rob"])
        #expect(try await usernames(of: "zoe rob") == ["zoe"])
        #expect(try await usernames(of: "Röb") == ["rob", "robin", "dr-rob", "zoe"])
        #expect(try await usernames(of: "ro") == ["rob", "robin"])
        #expect(try await usernames(of: "a_b") == ["a_b"])
        #expect(try await usernames(of: "100 %") == ["percent"])
        #expect(try await usernames(of: "a_") == ["a_b"])
        #expect(try await usernames(of: "%") == [])
    }
}
