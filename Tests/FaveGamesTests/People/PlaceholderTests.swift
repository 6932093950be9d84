import Testing

@testable import FaveGames

@Suite("The initials of a placeholder")
struct PlaceholderTests {
    private func initials(_ name: String) -> String {
        Placeholder(username: "rob", displayName: name).initials
    }

    private func initials(ofGame name: String) -> String {
        Placeholder(Game(id: 13, name: GameTitle(name), releaseYear: nil, coverImageID: nil))
            .initials
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
    }

    @Test(
        "are those of the three words of a game that tell most",
        arguments: [
            ("Portal", "P"), ("The Last Guardian", "LG"),
            ("The Legend of Zelda: Majora's Mask", "LZM"),
            ("The Legend of Zelda: The Wind Waker", "LZW"), ("Of the", "OT"), ("שלום עולם", "שע"),
            ("  .hack//G.U.", "HGU"),
        ])
    func games(name: String, expected: String) {
        #expect(initials(ofGame: name) == expected)
        let game = Game(id: 13, name: GameTitle(name), releaseYear: nil, coverImageID: nil)
        #expect(Placeholder(game).hue == 5)
    }

    @Test("are none of a name without letters", arguments: ["", " ", "!!!", "😀", "…"])
    func none(name: String) {
        #expect(initials(name).isEmpty)
        #expect(initials(ofGame: name).isEmpty)
    }

    @Test("are the same by bytes as by characters, for any name in ASCII")
    func bytes() {
        let parts = ["The", "of", "Zelda", "zelda", "II", "64", "a", "-", "'", " ", "\r\n", "_"]
        for _ in 0..<2000 {
            let name = (0..<Int.random(in: 0...9)).map { _ in parts.randomElement() ?? "" }.joined()
            let words = Placeholder.words(name)
            let telling = Placeholder.tellingWords(name)
            #expect(
                Placeholder.initialsOfASCII(name, limit: 2)
                    == Placeholder.initials(of: words.prefix(2)), "\(name)")
            #expect(
                Placeholder.initialsOfASCII(name, limit: 3, leavesOutCommonWords: true)
                    == Placeholder.initials(of: telling.prefix(3)), "\(name)")
        }
        for name in ["Pokémon", "a\u{301}b", "Ｐ"] {
            #expect(Placeholder.initialsOfASCII(name, limit: 2) == nil)
        }
    }
}
