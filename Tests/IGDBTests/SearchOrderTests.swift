import JSON
import Testing

@testable import IGDB

@Suite("What a search finds")
struct SearchOrderTests {
    private func game(
        _ id: Int, _ name: String, type: Int = 0, edition: Bool = false, ratings: Int = 0,
        aliases: [String] = []
    ) throws -> IGDBGame {
        var members: [String: JSONValue] = [
            "id": .int(id), "name": .string(name), "game_type": .int(type),
            "total_rating_count": .int(ratings),
            "alternative_names": .array(aliases.map { .object(["name": .string($0)]) }),
        ]
        if edition { members["version_parent"] = .int(1) }
        return try #require(IGDBGame(.object(members)))
    }

    private func order(_ text: String, _ responses: [IGDBGame]...) -> [Int] {
        SearchOrder(text).merge(responses).map(\.id)
    }

    @Test("names each game once, whichever query found it")
    func merged() throws {
        let (a, b, c) = (try game(1, "Alpha"), try game(2, "Alpha Beta"), try game(3, "Gamma"))
        #expect(order("alpha", [a, b], [b, c], [a], []) == [1, 2, 3])
    }

    @Test("begins with the title itself, then an alias, a beginning, a word, a part of one")
    func match() throws {
        let games = [
            try game(6, "Something Else", ratings: 9000), try game(5, "Microicons", ratings: 8000),
            try game(4, "The Ico Collection", ratings: 7000), try game(3, "Icon", ratings: 6000),
            try game(2, "Castle", ratings: 10, aliases: ["ICO"]), try game(1, "ICO", ratings: 1),
        ]
        #expect(order("ico", games) == [1, 2, 3, 4, 5, 6])
    }

    @Test("has editions and additions behind what stands for itself, none left out")
    func kinds() throws {
        let games = [
            try game(4, "Web: Heist", type: 1, ratings: 900),
            try game(3, "Web: Complete", edition: true, ratings: 800),
            try game(2, "Web: Two", ratings: 5), try game(1, "Web", ratings: 1),
        ]
        #expect(order("web", games) == [1, 2, 3, 4])
    }

    @Test("has what more people know first, then by name, then by id")
    func known() throws {
        let games = [
            try game(5, "Zeta B", ratings: 1), try game(3, "Zeta A", ratings: 1),
            try game(2, "Zeta A", ratings: 1), try game(9, "Zeta Z", ratings: 2),
        ]
        #expect(order("zeta", games) == [9, 2, 3, 5])
    }

    @Test(
        "does not depend on accents, case, hyphens and apostrophes",
        arguments: [
            ("pokemon snap", "Pokémon Snap"), ("POKÉMON SNAP", "Pokémon Snap"),
            ("spider man", "Spider-Man"), ("marvels spider man", "Marvel’s Spider-Man"),
            ("marvel's spider-man", "Marvel’s Spider-Man"), ("okami", "Ōkami"),
            ("ゼルダの伝説", "ゼルダの伝説"),
        ])
    func folded(_ text: String, _ name: String) throws {
        #expect(SearchFold.fold(text) == SearchFold.fold(name))
        #expect(order(text, [try game(2, name + " 2", ratings: 50), try game(1, name)]) == [1, 2])
    }

    @Test("has a game first that is named by its id")
    func id() throws {
        let games = [try game(1, "2048 Two", ratings: 9), try game(2048, "Other")]
        #expect(order("2048", games) == [2048, 1])
    }

    @Test(
        "is looked for in slugs as IGDB makes them",
        arguments: [
            ("Pokémon Snap", "pokemon-snap"), ("Marvel's Spider-Man", "marvels-spider-man"),
            ("hollow k", "hollow-k"), ("  X-Blades!  ", "x-blades"), ("ゼルダ", ""), ("", ""),
            ("\"; limit 1;", "limit-1"), ("*", ""),
        ])
    func slug(_ text: String, _ slug: String) {
        #expect(SearchFold.slug(text) == slug)
    }
}
