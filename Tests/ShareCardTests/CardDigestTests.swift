import FaveGames
import Foundation
import Testing

@testable import ShareCard

@Suite("The digest of a card")
struct CardDigestTests {
    @Test("is 32 hexadecimal digits, the same in every process")
    func form() {
        let digest = ShareCard(.of([TestGame()])).digest
        #expect(digest.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(digest == "70b2ddc0759b0badcc27234f7ddeaa78")
    }

    @Test("changes with everything that is shown")
    func shown() {
        let lists: [FaveList] = [
            .of([]), .of([], name: "Ada"), .of([], username: "ada"), .of([TestGame()]),
            .of([TestGame(name: "Portal 2")]), .of([TestGame(year: 2008)]),
            .of([TestGame(year: nil)]), .of([TestGame(platform: "PC")]),
            // The colour of its cover.
            .of([TestGame(id: 72)]),
            .of([TestGame(), TestGame(name: "Portal 2", id: 72)]),
            .of([TestGame(name: "Portal 2", id: 72), TestGame()]),
            // The same letters, one after the other.
            .of([TestGame(name: "Portal2")]), .of([TestGame(name: "Portal", platform: "2PC")]),
            .of([TestGame(name: "Port", platform: "alPC (Microsoft Windows)")]),
        ]
        for format in ShareCard.Format.allCases {
            #expect(Set(lists.map { ShareCard($0, format).digest }).count == lists.count)
        }
        let formats = ShareCard.Format.allCases.map { ShareCard(.of([TestGame()]), $0).digest }
        #expect(Set(formats).count == formats.count)
        let told = FaveList.of([TestGame()], comment: "The cake is a lie.")
        #expect(ShareCard(told, .story).digest != ShareCard(.of([TestGame()]), .story).digest)
    }

    @Test("does not change with what is not shown")
    func notShown() {
        let digest = ShareCard(.of([TestGame()])).digest
        let same: [FaveList] = [
            .of([TestGame()]), .of([TestGame()], comment: "The cake is a lie."),
            .of([TestGame()], visibility: .unlisted), .of([TestGame()], at: Date()),
            .of([TestGame(name: "\u{202E}Portal\u{0} ")]),
            // Another game in the same colour.
            .of([TestGame(id: 79)]),
        ]
        for list in same { #expect(ShareCard(list).digest == digest) }
    }
}
