import FaveGames
import JSON
import Languages
import Testing

@testable import IGDB

@Suite("A game of IGDB's")
struct IGDBGameTests {
    private func game(_ json: String) throws -> IGDBGame? {
        IGDBGame(try JSONParser.parse(Array(json.utf8)))
    }

    /// A game with one more member.
    private func game(with member: String) throws -> IGDBGame {
        try #require(try game("{\"id\": 1, \"name\": \"A\", \(member)}"))
    }

    @Test("is read with all that is asked for")
    func whole() throws {
        let game = try #require(
            try game(
                """
                {"id": 7, "name": "A \\"B\\"", "first_release_date": 1488499200,
                 "platforms": [41, {"id": 130}], "cover": {"id": 1, "image_id": "co_1"},
                 "game_type": 2, "version_parent": 3, "total_rating_count": 99,
                 "alternative_names": [{"id": 1, "name": "AB"}, {"id": 2, "name": " "}],
                 "game_localizations": [
                    {"id": 1, "name": "えー", "region": {"id": 3, "identifier": "ja-JP"}},
                    {"id": 2, "name": "C", "region": {"id": 4, "identifier": "<b>"}},
                    {"id": 3}
                 ],
                 "screenshots": [{"id": 1, "image_id": "sc1"}, {"id": 2, "image_id": "sc2"}]}
                """))
        #expect(game.id == 7)
        #expect(game.name == "A \"B\"")
        #expect(game.releaseYear == 2017)
        #expect(game.platformIDs == [41, 130])
        #expect(game.coverImageID == "co_1")
        #expect(game.type == 2)
        #expect(game.isEdition)
        #expect(game.ratingCount == 99)
        #expect(game.names.map(\.name) == ["えー", "C", "AB"])
        #expect(game.names.map(\.language) == [.ja, nil, nil])
        #expect(game.screenshotImageIDs == ["sc1", "sc2"])
    }

    @Test("needs an id and a name only")
    func least() throws {
        let game = try #require(try game("{\"id\": 2147483647, \"name\": \"A\"}"))
        #expect(game.releaseYear == nil)
        #expect(game.coverImageID == nil)
        #expect(game.platformIDs == [])
        #expect(game.type == 0)
        #expect(!game.isEdition)
        #expect(game.ratingCount == 0)
        #expect(game.names == [])
        #expect(game.screenshotImageIDs == [])
    }

    @Test(
        "is none without an id and a name that can be shown",
        arguments: [
            "{}", "[]", "null", "1", "\"x\"", "{\"id\": 1}", "{\"name\": \"A\"}",
            "{\"id\": 0, \"name\": \"A\"}", "{\"id\": -1, \"name\": \"A\"}",
            "{\"id\": 2147483648, \"name\": \"A\"}", "{\"id\": 1.5, \"name\": \"A\"}",
            "{\"id\": \"1\", \"name\": \"A\"}", "{\"id\": 1, \"name\": \"\"}",
            "{\"id\": 1, \"name\": 5}", "{\"id\": 1, \"name\": null}",
            "{\"id\": 1, \"name\": \" \\u0000\\n \"}",
        ])
    func none(_ json: String) throws {
        #expect(try game(json) == nil)
    }

    @Test(
        "is for adults only by its theme and by its rating",
        arguments: [
            ("\"themes\": [1, 42]", true, nil), ("\"themes\": [1]", false, nil),
            ("\"themes\": [{\"id\": 42}]", true, nil), ("\"themes\": []", nil, nil),
            ("\"cover\": null", nil, nil),
            ("\"age_ratings\": [{\"rating_category\": {\"rating\": \"AO\"}}]", nil, true),
            ("\"age_ratings\": [{\"rating_category\": {\"rating\": \"Eighteen\"}}]", nil, false),
            (
                """
                "age_ratings": [{"rating_category": {"rating": "AO"}},
                                {"rating_category": {"rating": "M"}}]
                """, nil, false
            ), ("\"age_ratings\": [42]", nil, nil), ("\"themes\": 42", nil, nil),
        ] as [(String, Bool?, Bool?)])
    func adults(_ members: String, _ theme: Bool?, _ rating: Bool?) throws {
        let game = try game(with: members)
        #expect(game.hasAdultTheme == theme)
        #expect(game.hasAdultRating == rating)
    }

    @Test("has a name of one line, without what a database does not take")
    func name() throws {
        let game = try game("{\"id\": 1, \"name\": \"A\\u0000B\\nC\"}")
        #expect(game?.name.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    @Test(
        "has the year of its release by the calendar",
        arguments: [
            (0, 1970), (-1, 1969), (1_704_067_199, 2023), (1_704_067_200, 2024),
            (951_782_400, 2000), (946_684_799, 1999), (-315_619_200, 1960),
        ])
    func year(_ seconds: Int, _ year: Int) throws {
        #expect(try game(with: "\"first_release_date\": \(seconds)").releaseYear == year)
    }

    @Test(
        "has no year if that cannot be one",
        arguments: [
            "9223372036854775807", "-9223372036854775808", "99999999999999", "-99999999999",
            "1e300", "\"2017\"", "null", "[]", "true",
        ])
    func noYear(_ value: String) throws {
        #expect(try game(with: "\"first_release_date\": \(value)").releaseYear == nil)
    }

    @Test(
        "has no image whose name could change an address",
        arguments: [
            "\"../../x\"", "\"a/b\"", "\"a?b\"", "\"A1\"", "\"\"", "\"a b\"", "\"a\\\"b\"", "5",
            "\"a\\n\"", "\"é\"", "\"\(String(repeating: "a", count: 65))\"",
        ])
    func images(_ value: String) throws {
        let image = "{\"id\": 1, \"image_id\": \(value)}"
        #expect(try game(with: "\"cover\": \(image)").coverImageID == nil)
        #expect(try game(with: "\"screenshots\": [\(image)]").screenshotImageIDs == [])
    }

    @Test("has only platforms that can be some")
    func platforms() throws {
        let game = try game(
            with: "\"platforms\": [0, -1, 2147483648, \"6\", null, {}, {\"id\": 0}, 48, [6]]")
        #expect(game.platformIDs == [48])
        #expect(try self.game(with: "\"platforms\": {\"id\": 6}").platformIDs == [])
    }

    @Test("has numbers that a database takes, whatever came")
    func numbers() throws {
        for value in ["9223372036854775807", "-9223372036854775808", "70000", "\"1\"", "1.5"] {
            #expect((0...Int(Int16.max)).contains(try game(with: "\"game_type\": \(value)").type))
            let count = try game(with: "\"total_rating_count\": \(value)").ratingCount
            #expect((0...Int(Int32.max)).contains(count))
        }
    }
}
