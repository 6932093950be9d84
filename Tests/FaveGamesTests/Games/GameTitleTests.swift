import FaveGames
import Languages
import Testing

@Suite("The title of a game")
struct GameTitleTests {
    private func title(_ names: (String, Language?)...) throws -> GameTitle {
        GameTitle("Portal", names: try names.map { try #require(GameName($0, language: $1)) })
    }

    @Test("is in the language of its reader if it has a name there, and else the main name")
    func languages() throws {
        let title = try title(("ポータル", .ja), ("传送门", .zhHans), ("PTL", nil))
        #expect(Language.allCases.map { title.string(in: $0) }.count { $0 != "Portal" } == 2)
        #expect(title.string(in: .ja) == "ポータル")
        #expect(title.string(in: .zhHans) == "传送门")
        #expect("\(title)" == "Portal")
        #expect(title.translations.map(\.language) == ["ja", "zh-Hans"])
        #expect(title.translations.map(\.name) == ["ポータル", "传送门"])
    }

    @Test("has one name in a language, none in English, and none that is the main name")
    func one() throws {
        #expect(try title(("포털", .ko), ("포탈", .ko)).localized == Array("ko=포털".utf8))
        #expect(try title(("Portal!", .en), ("Portal", .de)).localized.isEmpty)
        for name in ["A=B", "\u{FE0F}A", "\u{301}e"] {
            let title = try title((name, .ja))
            #expect(title.string(in: .ja) == name && title.translations.map(\.name) == [name])
        }
    }
}
