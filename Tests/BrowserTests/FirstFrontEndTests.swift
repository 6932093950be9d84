import TestSupport
import Testing

/// Whether JavaScript in a browser can do at `/api/v0` what the first front end does. What comes back
/// is decoded strictly: a number is no string, and nothing is left out.
@Suite(
    "The first front end, in a browser, on a site of its own", .blocking, .thorough)
struct FirstFrontEndTests {
    private struct Game: Decodable {
        struct Screenshot: Decodable {
            let id: Int
            let url: String
            let game: Int
        }

        let id: Int
        let name: String
        let platforms: [Int]
        let screenshots: [Screenshot]
    }

    private struct Platform: Decodable {
        let id: Int
        let name: String
    }

    private struct User: Decodable, Equatable {
        let userId: String
        let username: String
    }

    private struct FaveGame: Decodable, Equatable {
        let id: String
        let userId: String
        let gameId: String
        let platformId: String
        var reasons: String
    }

    private struct RankedGame: Decodable, Equatable {
        let gameId: Int
        let count: Int
        let reasons: [String]
    }

    // MARK: Reading

    @Test("finds games with pictures, platforms and people without a token")
    func reading() async throws {
        try await FrontEnd.run { page in
            let token = try await page.server.makeUser("rob")
            try page.connect(.first)
            #expect(try page.call("ping") == "pong")

            let found: [Game] = try page.call("searchGames", "last guardian")
            #expect(found.map(\.name) == ["The Last Guardian"])
            let games: [Game] = try page.call("games", [117, 71])
            #expect(games.map(\.id) == [117, 71])
            #expect(games[0].platforms == [48])
            let game: Game = try page.call("game", "117")
            let screenshot = try #require(game.screenshots.first)
            #expect(screenshot.game == 117)
            let width: Int = try page.browser.evaluate(
                "return widthOfImage(...arguments)", screenshot.url)
            #expect(width > 0, "\(screenshot.url)")

            for ids: Any in [[48, 130], "48, 130"] {
                let some: [Platform] = try page.call("platforms", ids)
                #expect(some.map(\.name) == ["Nintendo Switch", "PlayStation 4"])
            }
            for parameter in ["searchTerm", "search"] {
                let named: [Platform] = try page.call(
                    "searchPlatforms", "playstation 4", parameter)
                #expect(named.map(\.id) == [48])
            }
            let people: [User] = try page.call("searchUsers", "ro")
            #expect(people.map(\.username) == ["rob"])
            #expect(try page.call("user", people[0].userId) == people[0])
            #expect(try page.call("faveGames", people[0].userId) == [FaveGame]())
            #expect(page.preflights == [], "nothing that needs to be asked for")

            try page.connect(.first, token: token)
            #expect(try page.call("me") == people[0])
        }
    }

    // MARK: Writing

    @Test("keeps a list, which the browser asks about before")
    func writing() async throws {
        try await TestIssuer.run { settings in
            try await FrontEnd.run(settings: settings) { page in
                try page.connect(.first, token: TestIssuer.untilYear2096)
                let me: User = try page.call("me")
                #expect(me.username == "player", "nobody has chosen a name yet")
                #expect(try page.call("myFaveGames") == [FaveGame]())

                // From a select, where values are strings, and from a response, where they are not.
                let cake: FaveGame = try page.call(
                    "add", ["gameId": "71", "platformId": "6", "reasons": "The cake."])
                #expect(cake.userId == me.userId)
                #expect([cake.gameId, cake.platformId, cake.reasons] == ["71", "6", "The cake."])
                var trico: FaveGame = try page.call(
                    "add", ["gameId": 117, "platformId": 48, "reasons": ""])
                #expect(try page.call("myFaveGames") == [cake, trico])
                trico.reasons = "“Trico”\n<b>& feathers</b> 🪶"
                #expect(try page.call("edit", trico.id, trico.reasons) == trico)
                #expect(
                    try page.failure("faveGames", me.userId).status == 404,
                    "others don't see it before its owner wants that")
                #expect(
                    try page.call("platformFaveGames", trico.platformId)
                        == [RankedGame(gameId: 117, count: 1, reasons: [])],
                    "it counts, but is not quoted before its owner wants that")
                #expect(try page.call("remove", cake.id) == cake)
                #expect(try page.call("myFaveGames") == [trico])

                let id = "/api/v0/my-fave-games/"
                #expect(
                    page.preflights == [
                        "/api/v0/users/me", "/api/v0/my-fave-games", "\(id)\(trico.id)",
                        "\(id)\(cake.id)",
                    ], "once for each address")
                for request in [
                    "GET /api/v0/users/me 200", "POST /api/v0/my-fave-games 201",
                    "PUT \(id)\(trico.id) 200", "DELETE \(id)\(cake.id) 200",
                ] {
                    #expect(page.requests.contains(request), "\(request)")
                }
            }
        }
    }

    @Test("counts what many people love, the most loved first")
    func ranking() async throws {
        try await FrontEnd.run { page in
            for (name, games) in [("ada", [117, 120]), ("rob", [120]), ("eve", [120])] {
                try page.connect(.first, token: try await page.server.makeUser(name))
                for game in games {
                    let _: FaveGame = try page.call(
                        "add", ["gameId": game, "platformId": 48, "reasons": "\(name)'s"])
                }
            }
            try page.connect(.first)
            let top: [RankedGame] = try page.call("platformFaveGames", 48)
            #expect(top.map(\.gameId) == [120, 117])
            #expect(top.map(\.count) == [3, 1])
            #expect(top.map { Set($0.reasons) } == [["ada's", "rob's", "eve's"], ["ada's"]])
        }
    }

    // MARK: Errors

    @Test("is told why something cannot be done")
    func refusals() async throws {
        try await FrontEnd.run { page in
            try page.connect(.first, token: try await page.server.makeUser("rob"))
            var entries: [FaveGame] = []
            for (game, platform) in [(71, 6), (120, 48), (117, 48), (73, 9), (72, 130)] {
                entries.append(
                    try page.call("add", ["gameId": game, "platformId": platform]))
            }
            let sixth = try page.failure("add", ["gameId": 71, "platformId": 9])
            #expect(sixth.status == 400)
            #expect(sixth.members?.code == "too_many_games")
            let unknown = try page.failure("add", ["platformId": 9])
            #expect(unknown.status == 422)
            #expect(unknown.members?.message == "\"gameId\" is missing.")

            try page.connect(.first, token: try await page.server.makeUser("eve"))
            for failure in [
                try page.failure("edit", entries[0].id, "Eve's"),
                try page.failure("remove", entries[0].id),
            ] {
                #expect(failure.status == 404)
                #expect(failure.members?.code == "not_found")
            }
            #expect(try page.call("faveGames", entries[0].userId) == entries)

            for token in [nil, "stale"] {
                try page.connect(.first, token: token)
                for failure in [
                    try page.failure("me"), try page.failure("myFaveGames"),
                    try page.failure("add", ["gameId": 71, "platformId": 9]),
                    try page.failure("edit", entries[0].id, "Nobody's"),
                    try page.failure("remove", entries[0].id),
                ] {
                    #expect(failure.status == 401)
                }
            }
            #expect(try page.call("faveGames", entries[0].userId) == entries)
        }
    }

    @Test("is told in words which parameter is missing")
    func missing() async throws {
        try await FrontEnd.run { page in
            try page.connect(.first)
            for (path, text) in [
                ("/games", #"Give "search" or "gameIds"."#),
                ("/games?search=", #"Give "search" or "gameIds"."#),
                ("/platforms", #"Give "searchTerm", "search" or "platformIds"."#),
                ("/users", #"Give "search"."#),
            ] {
                let failure = try page.failure("get", path)
                #expect(failure.status == 400)
                #expect(failure.text == text)
            }
        }
    }
}
