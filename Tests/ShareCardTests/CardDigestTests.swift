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
        #expect(digest == "af6f794a7b8b2339fd8517730851e59e")
    }

    @Test("changes with everything that is shown")
    func shown() throws {
        let lists: [FaveList] = [
            .of([]), .of([], name: "Ada"), .of([], username: "ada"), .of([TestGame()]),
            .of([TestGame(name: "Portal 2")]), .of([TestGame(year: 2008)]),
            .of([TestGame(year: nil)]), .of([TestGame(platform: "PC")]),
            .of([TestGame()], comment: "The cake is a lie."),
            // The colour of its cover.
            .of([TestGame(id: 72)]),
            .of([TestGame(), TestGame(name: "Portal 2", id: 72)]),
            .of([TestGame(name: "Portal 2", id: 72), TestGame()]),
            // The same letters, one after the other.
            .of([TestGame(name: "Portal2")]), .of([TestGame(name: "Portal", platform: "2PC")]),
            .of([TestGame(name: "Port", platform: "alPC (Microsoft Windows)")]),
        ]
        for format in ShareCard.Format.allCases where format != .poster {
            #expect(Set(lists.map { ShareCard($0, format).digest }).count == lists.count)
        }
        let addresses = ["fave.example/@rob", "localhost:8080/@rob"].map {
            ShareCard(.of([TestGame()]), of: SiteIdentity(), at: $0).digest
        }
        #expect(addresses[0] != addresses[1])
        var (site, colored) = (SiteIdentity(), SiteIdentity())
        site.name = "Couch Club"
        colored.accent = try Accent(Color(0x0B6B57))
        let sites = [SiteIdentity(), site, colored].map {
            ShareCard(.of([TestGame()]), of: $0, at: "fave.example/@rob").digest
        }
        #expect(Set(sites).count == sites.count)
        let variants = ShareCard.Variant.allCases.map {
            ShareCard(.of([TestGame()]), $0.format, $0.theme).digest
        }
        #expect(variants.count == 7 && Set(variants).count == 7)
    }

    @Test("does not change with what is not shown")
    func notShown() {
        let digest = ShareCard(.of([TestGame()])).digest
        let same: [FaveList] = [
            .of([TestGame()]), .of([TestGame()], visibility: .unlisted),
            .of([TestGame()], at: Date()),
            .of([TestGame(name: "\u{202E}Portal\u{0} ")]),
            // Another game in the same colour.
            .of([TestGame(id: 79)]),
        ]
        for list in same { #expect(ShareCard(list).digest == digest) }
    }

    @Test("of a wide card changes with number one's why, and not with the others'")
    func whys() {
        func digest(_ whys: [String], _ format: ShareCard.Format) -> String {
            ShareCard(.of(whys.map { TestGame(why: $0) }), format).digest
        }
        #expect(digest(["", "", ""], .wide) == digest(["", "a", "b"], .wide))
        #expect(digest(["", "", ""], .wide) != digest(["a", "", ""], .wide))
        #expect(digest(["", ""], .wide) != digest(["", "a"], .wide))
        // Tall cards quote number one alone, and posters no one.
        #expect(digest(["", ""], .story) == digest(["", "a"], .story))
        #expect(digest(["", ""], .story) != digest(["a", ""], .story))
        #expect(digest(["", ""], .poster) == digest(["a", ""], .poster))
    }
}
