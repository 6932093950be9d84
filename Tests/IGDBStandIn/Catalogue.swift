import JSON

/// What the stand-in knows: games and platforms of the tests' own telling. Platforms have IGDB's
/// ids; the games' ids, dates and numbers are made up.
enum Catalogue {
    static let platforms = [
        platform(3, "linux", "Linux", "Linux", nil),
        platform(6, "win", "PC (Microsoft Windows)", "PC", nil),
        platform(4, "n64", "Nintendo 64", "N64", 5),
        platform(7, "ps", "PlayStation", "PS1", 5),
        platform(8, "ps2", "PlayStation 2", "PS2", 6),
        platform(9, "ps3", "PlayStation 3", "PS3", 7),
        platform(12, "xbox360", "Xbox 360", "X360", 7),
        platform(18, "nes", "Nintendo Entertainment System", "NES", 3),
        platform(19, "snes", "Super Nintendo Entertainment System", "SNES", 4),
        platform(41, "wiiu", "Wii U", "WiiU", 8),
        platform(48, "ps4--1", "PlayStation 4", "PS4", 8),
        platform(49, "xboxone", "Xbox One", "XONE", 8),
        platform(130, "switch", "Nintendo Switch", "Switch", 8),
        platform(167, "ps5", "PlayStation 5", "PS5", 9),
        platform(169, "series-x-s", "Xbox Series X|S", "Series X|S", 9),
        platform(508, "switch-2", "Nintendo Switch 2", "Switch 2", 9),
        // None that anybody has heard of.
        platform(99_991, "abacus-2000", "Abacus 2000", nil, nil),
    ]

    static let games = [
        game(1001, "Hollow Knight", 2017, [6, 48, 130, 49], ratings: 1900),
        game(1002, "Hollow Knight: Silksong", 2025, [6, 48, 130, 167, 508], ratings: 700),
        game(
            1003, "Hollow Knight: Voidheart Edition", 2018, [48, 49], ratings: 90, edition: 1001),
        game(1004, "Hollow Knight: Godmaster", 2018, [6, 48, 130], type: 1, ratings: 60),
        game(1005, "Hollow Ground", 2009, [6], ratings: 2),
        game(1010, "Pokémon Snap", 1999, [4, 41], ratings: 340),
        game(1011, "New Pokémon Snap", 2021, [130], ratings: 210),
        game(1012, "Pokémon Sword", 2019, [130], ratings: 640),
        game(1013, "Pokémon Shield", 2019, [130], ratings: 560),
        game(1014, "Snap!", 1988, [18], ratings: 1),
        game(
            1020, "Marvel's Spider-Man", 2018, [48], ratings: 2100, aliases: ["Spider-Man PS4"]),
        game(
            1021, "Marvel's Spider-Man: Game of the Year Edition", 2019, [48], ratings: 120,
            edition: 1020),
        game(1022, "Marvel's Spider-Man: The Heist", 2018, [48], type: 1, ratings: 150),
        game(1023, "Marvel's Spider-Man: Remastered", 2020, [6, 167], type: 9, ratings: 480),
        game(1024, "Marvel's Spider-Man 2", 2023, [6, 167], ratings: 800),
        game(1025, "Spider-Man", 2000, [7, 4], ratings: 260),
        game(
            1030, "The Legend of Zelda: Breath of the Wild", 2017, [41, 130], ratings: 3000,
            aliases: ["BOTW", "Zelda: BotW", "ゼルダの伝説 ブレス オブ ザ ワイルド"],
            localized: [("ゼルダの伝説 ブレス オブ ザ ワイルド", "ja-JP")]),
        game(
            1031, "The Legend of Zelda: Breath of the Wild - Expansion Pass", 2017, [41, 130],
            type: 2, ratings: 110),
        game(1032, "The Legend of Zelda", 1986, [18], ratings: 900),
        game(
            1033, "The Legend of Zelda: Ocarina of Time", 1998, [4], ratings: 2200,
            aliases: ["OoT"]),
        game(
            1034, "The Legend of Zelda: Tears of the Kingdom", 2023, [130, 508], ratings: 1500,
            aliases: ["TOTK"]),
        game(1040, "ICO", 2001, [8, 9], ratings: 420),
        game(1041, "Icon", 1994, [6], ratings: 3),
        game(1042, "The ICO & Shadow of the Colossus Collection", 2011, [9], type: 3, ratings: 130),
        game(1043, "Shadow of the Colossus", 2005, [8], ratings: 1100, aliases: ["SotC"]),
        game(1044, "Shadow of the Colossus", 2018, [48], type: 8, ratings: 600),
        game(
            1050, "Grand Theft Auto V", 2013, [6, 9, 12, 48, 49, 167, 169], ratings: 4200,
            aliases: ["GTA V", "GTA 5"]),
        game(
            1051, "Grand Theft Auto: Vice City", 2002, [6, 8], ratings: 1700, aliases: ["GTA VC"]),
        game(1052, "Grand Theft Auto IV", 2008, [6, 9, 12], ratings: 1600, aliases: ["GTA IV"]),
        game(
            1053, "Grand Theft Auto V: Premium Edition", 2018, [6, 48, 49], ratings: 80,
            edition: 1050),
        game(1060, "X-Blades", 2007, [6, 9, 12], ratings: 40),
        game(1061, "Portal", 2007, [6, 9, 12, 3], ratings: 2600),
        game(1062, "Portal 2", 2011, [6, 9, 12, 3], ratings: 2900),
        game(1063, "Portal: Prelude", 2008, [6], type: 5, ratings: 30),
        game(1064, "Portal: Still Alive", 2008, [12], type: 10, ratings: 50),
        game(1065, "2048", 2014, [6], ratings: 25),
        game(1066, "Okami", 2006, [8], ratings: 700, aliases: ["Ōkami"]),
        game(1067, "NieR: Automata", 2017, [6, 48, 49], ratings: 1200),
        game(1068, "Counting Frames", 1971, [99_991], ratings: 0),
        game(1069, "Before the Epoch", 1962, [99_991, 6], ratings: 0),
        game(1080, "Velvet Nights", 2015, [6], ratings: 20, themes: [1, 42]),
        game(1081, "Velvet Nights: Uncut", 2016, [6], ratings: 9, themes: [1], esrb: ["AO"]),
        game(1082, "Velvet Underworld", 2017, [6], ratings: 5, themes: [1], esrb: ["M"]),
        game(1070, "Untitled \"Quoted\" \\ Game", 2020, [6], ratings: 5),
    ]

    private static func platform(
        _ id: Int, _ slug: String, _ name: String, _ abbreviation: String?, _ generation: Int?
    ) -> Row {
        var row: Row = ["id": .int(id), "slug": .string(slug), "name": .string(name)]
        row["abbreviation"] = abbreviation.map(JSONValue.string)
        row["generation"] = generation.map(JSONValue.int)
        return row
    }

    private static func game(
        _ id: Int, _ name: String, _ year: Int, _ platformIDs: [Int], type: Int = 0,
        ratings: Int, edition parent: Int? = nil, aliases: [String] = [],
        localized: [(name: String, region: String)] = [], themes: [Int] = [], esrb: [String] = []
    ) -> Row {
        var row: Row = [
            "id": .int(id), "name": .string(name), "slug": .string(Words.slug(name)),
            // The first of July, nearly.
            "first_release_date": .int((year - 1970) * 31_556_952 + 15_600_000),
            "game_type": .int(type),
            "platforms": .array(
                platforms.filter { row in
                    platformIDs.contains { row["id"] == .int($0) }
                }.map(JSONValue.object)),
            "cover": .object(["id": .int(id + 50_000), "image_id": .string("si\(id)")]),
            "screenshots": .array(
                (1...2).map { number in
                    .object([
                        "id": .int(id * 10 + number), "image_id": .string("sc\(id)_\(number)"),
                    ])
                }),
        ]
        // IGDB leaves out what it does not know.
        if ratings > 0 { row["total_rating_count"] = .int(ratings) }
        row["version_parent"] = parent.map(JSONValue.int)
        if !aliases.isEmpty {
            row["alternative_names"] = .array(
                aliases.enumerated().map { index, alias in
                    .object(["id": .int(id * 100 + index), "name": .string(alias)])
                })
        }
        if !themes.isEmpty { row["themes"] = .array(themes.map(JSONValue.int)) }
        if !esrb.isEmpty {
            row["age_ratings"] = .array(
                esrb.enumerated().map { index, rating in
                    .object([
                        "id": .int(id * 100 + index),
                        "rating_category": .object([
                            "id": .int(index + 1), "rating": .string(rating),
                        ]),
                    ])
                })
        }
        if !localized.isEmpty {
            row["game_localizations"] = .array(
                localized.enumerated().map { index, title in
                    .object([
                        "id": .int(id * 100 + index), "name": .string(title.name),
                        "region": .object([
                            "id": .int(index + 1), "identifier": .string(title.region),
                        ]),
                    ])
                })
        }
        return row
    }
}

/// A game or a platform, with what hangs on it in full.
typealias Row = [String: JSONValue]

/// Text as the stand-in compares it. Its own rules rather than those of the client it is to prove.
enum Words {
    /// Its words in small letters. An accent makes another word, as far as a search goes.
    static func of(_ text: String) -> [String] {
        text.lowercased().filter { $0 != "'" }.split { !$0.isLetter && !$0.isNumber }
            .map(String.init)
    }

    /// In plain ASCII, with hyphens.
    static func slug(_ name: String) -> String {
        of(name).map { word in
            word.compactMap { accents[$0] ?? ($0.isASCII ? $0 : nil) }.map(String.init).joined()
        }.filter { !$0.isEmpty }.joined(separator: "-")
    }

    private static let accents: [Character: Character] = ["é": "e", "ō": "o"]
}
