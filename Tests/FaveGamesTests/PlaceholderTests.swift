import Testing

@testable import FaveGames

@Suite("The initials of a placeholder")
struct PlaceholderTests {
    private func initials(_ name: String) -> String {
        Placeholder(username: "rob", displayName: name).initials
    }

    @Test(
        "are the first letters of the first two words",
        arguments: [
            ("Portal", "P"), ("portal 2", "P2"), ("The Last Guardian", "TL"), ("élan vital", "ÉV"),
            ("シェンムー", "シ"), ("שלום עולם", "שע"), ("N++", "N"), ("  .hack//G.U.", "HG"),
            ("1942", "1"), ("a\u{301}b", "A\u{301}"),
        ])
    func names(name: String, expected: String) {
        #expect(initials(name) == expected)
        let game = Game(id: 13, name: name, releaseYear: nil, coverImageID: nil)
        #expect(Placeholder(game).initials == expected)
        #expect(Placeholder(game).hue == 5)
    }

    @Test("are none of a name without letters", arguments: ["", " ", "!!!", "😀", "…"])
    func none(name: String) {
        #expect(initials(name).isEmpty)
    }
}
