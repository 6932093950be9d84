import FaveGames
import Foundation
import Testing

@testable import ShareCard

@Suite("A share card")
struct ShareCardTests {
    private static let sizeLimit = 300_000

    @Test(
        "is drawn in each format and theme, in the format's encoding, for any number of entries",
        arguments: ShareCard.Variant.allCases, [0, 1, 2, 3, 5])
    func formats(variant: ShareCard.Variant, count: Int) throws {
        let format = variant.format
        let games = (0..<count).map { TestGame(name: "Game \($0)", id: $0 + 1) }
        let list = FaveList.of(games, comment: "The cake is a lie, and I’d eat it again. ")
        let card = ShareCard(list, format, variant.theme)
        let picture = try Picture(card.png())
        #expect(picture.width == format.width && picture.height == format.height)
        let data = try card.data()
        #expect(data.count < Self.sizeLimit)
        switch format.encoding {
        case .png: #expect(try data == card.png())
        case .jpeg: #expect(JPEGHead(data) == JPEGHead(width: format.width, height: format.height))
        }
    }

    @Test("has the whys where there is room", arguments: ShareCard.Format.allCases, [0, 1, 3, 5])
    func whys(format: ShareCard.Format, count: Int) throws {
        let games = (0..<count).map { TestGame(name: "Game \($0)", id: $0 + 1) }
        let cards = ["", "The cake is a lie, and I’d eat it again. "].map {
            ShareCard(.of(games, comment: $0), format)
        }
        #expect(try (cards[0].png() == cards[1].png()) == (count == 0 || format == .poster))
    }

    @Test("of a ranking shows its games, and on how many lists they are", arguments: [0, 2, 5])
    func ranking(count: Int) throws {
        let platform = Platform(id: 6, slug: "win", name: "PC (Windows)", abbreviation: "PC")
        let games = (0..<count).map { index in
            RankedGame(
                game: Game(
                    id: index + 1, name: GameTitle("Game \(index)"), releaseYear: 2020,
                    coverImageID: nil),
                rank: index + 1, includedBy: 9 - index, quotes: [])
        }
        let card = ShareCard(
            games, on: platform, of: SiteIdentity(), at: "fave.example/platforms/win")
        #expect(card.name == "PC")
        #expect(card.entries.map(\.note) == (0..<count).map { "On \(9 - $0) lists" })
        #expect(try card.png().count < Self.sizeLimit)
    }

    /// Draws a list, and checks what holds for every card.
    @discardableResult
    private func draw(
        _ list: FaveList, at location: SourceLocation = #_sourceLocation
    ) throws -> [UInt8] {
        let png = try ShareCard(list).png()
        let head = PNGHead(png)
        #expect(head?.width == 1200 && head?.height == 630, sourceLocation: location)
        #expect(png.count < Self.sizeLimit, "\(png.count)", sourceLocation: location)
        return png
    }

    @Test("is a PNG of 1200×630, for any number of entries", arguments: 0...5)
    func format(count: Int) throws {
        let list = FaveList.of(Array(repeating: TestGame(), count: count))
        let picture = try Picture(draw(list))
        #expect(picture.width == ShareCard.Format.wide.width)
        #expect(picture.height == ShareCard.Format.wide.height)
        #expect(picture.inkCount(in: Box(x: 172, y: 66, width: 400, height: 76)) > 500, "the name")
        #expect(picture.inkCount(in: ShareCard.body) > 1000, "the body")
    }

    @Test("has the words of every entry in its row")
    func rows() throws {
        let picture = try Picture(draw(.five))
        #expect(picture.inkCount(in: Box(x: 362, y: 174, width: 214, height: 340)) > 2000)
        for row in 0..<4 {
            let words = Box(x: 764, y: 148 + Double(row) * 99, width: 380, height: 95)
            #expect(picture.inkCount(in: words) > 400, "row \(row)")
        }
    }

    @Test("makes the first entry golden, and no other")
    func gold() throws {
        let picture = try Picture(draw(.five))
        func isGold(_ color: UInt32) -> Bool { color == 0x855600 }
        var first = ShareCard.body
        first.width = ShareCard.firstWidth
        #expect(picture.count(in: first, where: isGold) > 300)
        let rest = Box(x: 632, y: 0, width: 568, height: 630)
        #expect(picture.count(in: rest, where: isGold) == 0)
    }

    @Test("has the site's heart on it")
    func heart() throws {
        let picture = try Picture(draw(.five))
        let corner = Box(x: 900, y: 40, width: 80, height: 44)
        // 27 pixels less the one of the shine, each 5 by 5.
        #expect(picture.count(in: corner) { $0 == 0xB3124F } == 26 * 25)
    }

    @Test("is the same each time, and another for other lists")
    func sameness() throws {
        let five = try draw(.five)
        #expect(try draw(.five) == five)
        var seen: [[UInt8]] = []
        let others: [FaveList] = [
            .five, .of([]), .of([TestGame()]), .of([TestGame(name: "Portal 2")]),
            .of([TestGame(year: nil)]), .of([TestGame(platform: "PlayStation 3")]),
            .of([TestGame(id: 72)]), .of([TestGame()], name: "Ada"),
            .of([TestGame()], username: "ada"), .of([TestGame(), TestGame(id: 72)]),
        ]
        for list in others {
            let png = try draw(list)
            #expect(!seen.contains(png))
            seen.append(png)
        }
    }

    /// Texts that try to break out.
    static let evil: [String] = [
        String(repeating: "W", count: 300), String(repeating: "i", count: 300),
        String(repeating: "word ", count: 400),
        "لعبة رائعة جدًا " + String(repeating: "ـ", count: 200),
        "המשחק הכי יפה ששיחקתי בו אי פעם", "超级马力欧兄弟:惊奇シェンムー一章横須賀블루아카이브",
        "नमस्ते दुनिया क्षत्रिय", "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇯🇵❤️", String(repeating: "👩‍🚀", count: 200),
        String(repeating: "\u{1F600}\u{200D}", count: 300),
        "Z" + String(repeating: "\u{300}\u{315}\u{31A}\u{33F}\u{489}\u{20DD}", count: 500),
        String(repeating: "a\u{335}\u{340}\u{316}\u{317}", count: 90),
        String((0...0x1F).map { Character(Unicode.Scalar($0)) }) + "x\u{7F}\u{85}\u{9F}",
        "a\0b", "\u{202E}desrever\u{202D}\u{202A}\u{2066}\u{2067}\u{2068}",
        "\u{200F}\u{200E}\u{61C}x\u{2028}y\u{2029}z", "\u{FFFD}\u{FFFF}\u{FFFE}\u{10FFFF}\u{E000}",
        "<b>&amp;</b><span foreground='red' size='999999'>&#0;%s%n", "\u{FDFD}\u{12031}\u{A9C5}",
        String(repeating: "\u{FDFD}", count: 100),
        "\u{0F40}" + String(repeating: "\u{0F90}", count: 99),
        String(repeating: "\u{E0041}", count: 200), "", " ", "\u{AD}", "\u{301}",
        String(repeating: "\n", count: 50) + "x",
    ]

    @Test(
        "keeps within its places whatever the texts are", arguments: zip(evil, 0..<evil.count))
    func evilTexts(text: String, number: Int) throws {
        // In the least room, and in one of the others.
        for count in [5, 1 + number % 4] {
            let picture = try Picture(draw(.filled(with: text, count: count)))
            for edge in [
                Box(x: 0, y: 0, width: 1200, height: 36),
                Box(x: 0, y: 612, width: 1200, height: 18),
                Box(x: 0, y: 0, width: 36, height: 630), Box(x: 1164, y: 0, width: 36, height: 630),
                // Between the name and what stands on the right of it.
                Box(x: 892, y: 64, width: 16, height: 66),
                // Between the entries and the foot.
                Box(x: 0, y: 560, width: 1200, height: 2),
            ] {
                let isEmpty = picture.isEmpty(in: edge)
                #expect(isEmpty, "\(count) entries, \(edge)")
            }
            guard count > 2 else { continue }
            // Between the first entry and the others, and around the lines that part them.
            let left = ShareCard.body.x + ShareCard.firstWidth
            let isApart = picture.isEmpty(in: Box(x: left + 20, y: 200, width: 7, height: 300))
            #expect(isApart)
            let height = ShareCard.body.height / Double(count - 1)
            for row in 1..<count - 1 {
                let y = (ShareCard.body.y + Double(row) * height).rounded()
                for part in [
                    Box(x: left + 28, y: y - 3, width: 540, height: 2),
                    Box(x: left + 28, y: y + 3, width: 540, height: 1),
                ] {
                    let isEmpty = picture.isEmpty(in: part)
                    #expect(isEmpty, "row \(row), \(count) entries, \(part)")
                }
            }
        }
    }

    @Test("of an invitation or a circle keeps its margins whatever the texts are", arguments: evil)
    func evilPosters(text: String) throws {
        let circle = Circle(
            id: UUID(), slug: "x", name: text, description: text, visibility: .members,
            createdAt: .distantPast)
        let offer = CircleOffer(
            circle: circle, owner: text, memberCount: 4, expiresAt: .distantFuture,
            isMember: false)
        let games = [
            Game(id: 1, name: GameTitle(text), releaseYear: nil, coverImageID: nil),
            Game(id: 2, name: GameTitle("Portal"), releaseYear: nil, coverImageID: nil),
        ]
        for card in [
            ShareCard(offer, of: SiteIdentity(), at: "fave.example"),
            ShareCard(
                circle, loving: games, of: SiteIdentity(), at: "fave.example/circles/x"),
        ] {
            let picture = try Picture(card.png())
            for edge in [
                Box(x: 0, y: 0, width: 1200, height: 36),
                Box(x: 0, y: 612, width: 1200, height: 18),
                Box(x: 0, y: 0, width: 36, height: 630), Box(x: 1164, y: 0, width: 36, height: 630),
                // Between the words and the places.
                Box(x: 0, y: 298, width: 1200, height: 10),
            ] {
                let isEmpty = picture.isEmpty(in: edge)
                #expect(isEmpty, "\(card.eyebrow), \(edge)")
            }
        }
    }

    @Test("of an invitation tells who invites and how many are in it, and has no covers")
    func invitation() throws {
        let circle = Circle(
            id: UUID(), slug: "book-club", name: "Book club",
            description: "We meet every Thursday.",
            visibility: .members, createdAt: .distantPast)
        func card(_ count: Int) -> ShareCard {
            ShareCard(
                CircleOffer(
                    circle: circle, owner: "Mara", memberCount: count, expiresAt: .distantFuture,
                    isMember: false), of: SiteIdentity(), at: "fave.example")
        }
        #expect(card(4).eyebrow == "Mara invites you to a circle of 4")
        #expect(card(1).eyebrow == "Mara invites you to a circle")
        #expect(card(4).name == "Book club" && card(4).text == "We meet every Thursday.")
        #expect(card(4).entries.isEmpty)
        #expect(card(4).digest != card(5).digest)
    }

    @Test("of the site has five places, which covers fill", arguments: [0, 2, 7])
    func site(count: Int) throws {
        let games = (0..<count).map {
            Game(id: $0 + 1, name: GameTitle("Game \($0)"), releaseYear: nil, coverImageID: nil)
        }
        let card = ShareCard(SiteIdentity(), loving: games, at: "fave.example")
        #expect(card.entries.count == min(count, 5))
        let picture = try Picture(card.png())
        // The dashes around the empty ones.
        let row = Box(x: 56, y: 308, width: 1088, height: 236)
        #expect((picture.count(in: row) { $0 == 0x857D9B } > 0) == (count < 5))
    }

    @Test("takes no text as markup")
    func markup() throws {
        let text = "<span foreground=\"#ff0000\">Portal</span>"
        let picture = try Picture(draw(.of([TestGame(name: text)])))
        #expect(picture.count(in: ShareCard.body) { $0 == 0xFF0000 } == 0)
        // Wider than the word alone would be.
        let right = Box(x: 800, y: 180, width: 300, height: 300)
        #expect(picture.inkCount(in: right) > 500)
    }

    @Test("is drawn of two hundred and fifty texts of random characters")
    func randomTexts() throws {
        var random = SplitMix(state: 42)
        for _ in 0..<23 {
            let texts = (0..<11).map { _ in random.text() }
            let games = (0..<5).map { index in
                TestGame(
                    name: texts[2 * index], id: index + 1, platform: texts[2 * index + 1])
            }
            try draw(.of(games, name: texts[10]))
        }
    }

    @Test("shows no more than five entries")
    func bound() {
        #expect(ShareCard(.of(Array(repeating: TestGame(), count: 9))).entries.count == 5)
    }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Up to forty characters from anywhere in Unicode, most from where letters and marks are.
    mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &self) {
            let limit: UInt32 = [0x80, 0x800, 0x3000, 0xFFFF, 0x1FFFF, 0x10FFFF][
                Int.random(in: 0..<6, using: &self)]
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &self)) {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
