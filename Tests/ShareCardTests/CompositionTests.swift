import FaveGames
import Foundation
import Testing

@testable import ShareCard

@Suite("The composition of a tall card")
struct CompositionTests {
    private static let tall = ShareCard.Format.allCases.filter { $0 != .wide }
    private static let titles = [Titles.short, Titles.long, Titles.japanese, Titles.emoji]

    /// Lists of all kinds and lengths, composed in each format.
    private static let all = Result { () throws -> [(card: ShareCard, measured: Measured)] in
        // By how they run and wrap, and how high their lines are.
        let scripts: Set = ["Latin", "Arabic", "Thai", "Japanese"]
        let whys =
            Reason.all.filter { scripts.contains($0.script) }.map(\.text) + ["", "It wrote back."]
        return try tall.flatMap { format in
            try (0...5).flatMap { count in
                try titles.flatMap { titles in
                    try (format == .poster ? [""] : whys).map { why in
                        let card = ShareCard(.titled(Array(titles.prefix(count)), why: why), format)
                        return (card, try Measured(card))
                    }
                }
            }
        }
    }

    private func all(
        _ formats: [ShareCard.Format] = tall, counts: ClosedRange<Int> = 0...5
    ) throws -> [(card: ShareCard, measured: Measured)] {
        try Self.all.get().filter {
            formats.contains($0.card.format) && counts.contains($0.card.entries.count)
        }
    }

    @Test("gives number one half of the width or more, and has the others below it")
    func numberOne() throws {
        for (card, measured) in try all([.portrait, .story], counts: 1...5) {
            let covers = measured.covers
            #expect(covers.map(\.rank) == card.entries.map(\.rank))
            let first = covers[0].box
            #expect(first.width >= 540)
            for cover in covers.dropFirst() {
                #expect(cover.box.y > first.maxY)
                #expect(cover.box.width < first.width)
            }
        }
    }

    @Test("covers at least 35 % of a story of five, and more of a poster")
    func share() throws {
        for (card, measured) in try all([.story, .poster], counts: 5...5) {
            let share = measured.coveredArea / Double(card.format.width * card.format.height)
            #expect(share >= (card.format == .story ? 0.35 : 0.75), "\(card.entries[0].why)")
        }
        for (_, measured) in try all([.story], counts: 1...1) {
            #expect(measured.coveredArea / (1080 * 1920) >= 0.35)
        }
    }

    @Test("shows a why of up to 140 letters whole, large enough for a phone", arguments: Reason.all)
    func why(script: String, text: String) throws {
        #expect(text.count == 140)
        for format in [ShareCard.Format.portrait, .story] {
            for count in [1, 2, 5] {
                for titles in [Titles.short, Titles.long] {
                    let list = FaveList.titled(Array(titles.prefix(count)), why: text)
                    let why = try Measured(ShareCard(list, format)).words(.why)
                    #expect(why.count == 1)
                    #expect(why[0].isWhole && why[0].fontSize >= 40, "\(format), \(count) entries")
                }
            }
        }
    }

    @Test("shows few words larger")
    func few() throws {
        for format in [ShareCard.Format.portrait, .story] {
            let list = FaveList.titled(Titles.short, why: "It wrote back.")
            let why = try Measured(ShareCard(list, format)).words(.why)[0]
            #expect(why.isWhole && why.fontSize >= 80)
        }
    }

    @Test("has no text smaller than 28 pixels")
    func smallest() throws {
        for (card, measured) in try all() {
            let smallest = measured.words.map(\.fontSize).min() ?? 0
            #expect(smallest >= 28, "\(card.format), \(card.entries.count) entries")
        }
    }

    @Test("has the titles of numbers two to five in one size")
    func titleSizes() throws {
        for (card, measured) in try all([.portrait, .story], counts: 1...5) {
            let titles = measured.words(.otherTitle)
            #expect(titles.count == card.entries.count - 1)
            #expect(Set(titles.map(\.fontSize)).count <= 1)
            #expect(measured.words(.title).count == 1)
        }
    }

    @Test("leaves no room empty at the top or the bottom")
    func filled() throws {
        for (card, measured) in try all(counts: 1...5) {
            let boxes = measured.covers.map(\.box) + measured.plates
            let top = boxes.map(\.y).min() ?? .infinity
            let bottom = boxes.map(\.maxY).max() ?? 0
            #expect(top <= 24)
            #expect(bottom >= Double(card.format.height) - 24)
            // Nor anywhere else: no strip as wide as the card is empty for long.
            let filled = (boxes + measured.words.map(\.box)).sorted { $0.y < $1.y }
            var end = 0.0
            for box in filled {
                #expect(
                    box.y - end < Double(card.format.height) * 0.14,
                    "\(card.format), \(card.entries.count): \(end) to \(box.y)")
                end = max(end, box.maxY)
            }
        }
    }

    /// Checks that nothing is over something else, or leaves the card.
    private func expectOrder(
        _ card: ShareCard, _ measured: Measured, at location: SourceLocation = #_sourceLocation
    ) {
        let comment = "\(card.format), \(card.entries.count) entries"
        let texts = measured.words.filter { $0.role != .rank }
        for (index, words) in texts.enumerated() {
            let box = words.box
            #expect(
                box.x >= 24 && box.y >= 24 && box.maxX <= Double(card.format.width) - 23
                    && box.maxY <= Double(card.format.height) - 8,
                "\(comment): \(words.role) \(box)", sourceLocation: location)
            for other in texts[(index + 1)...] {
                #expect(
                    !box.overlaps(other.box),
                    "\(comment): \(words.role) \(other.role)",
                    sourceLocation: location)
            }
            for cover in measured.covers {
                #expect(
                    !box.overlaps(cover.box),
                    "\(comment): \(words.role) and a cover",
                    sourceLocation: location)
            }
        }
        for (index, cover) in measured.covers.enumerated() {
            for other in measured.covers[(index + 1)...] {
                #expect(!cover.box.overlaps(other.box), sourceLocation: location)
            }
        }
    }

    @Test("has nothing over something else")
    func order() throws {
        for (card, measured) in try all() { expectOrder(card, measured) }
    }

    @Test(
        "has nothing over something else whatever the texts are",
        arguments: zip(ShareCardTests.evil, 0..<ShareCardTests.evil.count))
    func evil(text: String, number: Int) throws {
        let format = Self.tall[number % Self.tall.count]
        for count in [5, number % 5] {
            let card = ShareCard(.filled(with: text, count: count), format)
            try expectOrder(card, Measured(card))
            try card.drawn(covers: [:]) { _ throws(CardError) in }
        }
    }

    @Test("has text that can be read, whatever the hue", arguments: ShareCard.Theme.allCases)
    func contrast(theme: ShareCard.Theme) throws {
        for hue in Self.hues {
            let scheme = Scheme(theme, of: hue)
            for ground in [scheme.ground.top, scheme.ground.bottom, scheme.band] {
                #expect(scheme.ink.contrast(with: ground) >= 7, "\(hue) \(ground)")
                #expect(
                    (ground.luminance > 0.4) == (theme == .light), "\(hue) \(ground.luminance)")
                #expect(scheme.soft.contrast(with: ground) >= 4.5, "\(hue) \(ground)")
            }
        }
        for format in Self.tall {
            for count in 0...5 {
                let list = FaveList.titled(Array(Titles.short.prefix(count)), why: "It wrote back.")
                for words in try Measured(ShareCard(list, format, theme)).words {
                    #expect(words.color.contrast(with: words.ground) >= 4.5, "\(words.role)")
                }
            }
        }
    }

    /// Six steps of each part.
    private static let hues: [Color] = (0..<216).map { number in
        let parts: [Int] = [number / 36, number / 6 % 6, number % 6]
        return Color(parts.reduce(0) { $0 << 8 | $1 * 51 })
    }

    @Test("takes its hue from number one's cover, or from the placeholder")
    func hue() throws {
        let games = (1...2).map { index in
            Game(id: index, name: GameTitle("Game"), releaseYear: nil, coverImageID: "co\(index)")
        }
        func card(_ theme: ShareCard.Theme) -> ShareCard {
            ShareCard(
                games.enumerated().map { RankedGame(game: $1, rank: $0 + 1, includedBy: 1) },
                on: Platform(id: 6, slug: "win", name: "PC", abbreviation: nil), of: SiteIdentity(),
                at: "", .init(.story, theme))
        }
        let red = try TestCover.jpeg((200, 30, 40))
        let blue = try TestCover.jpeg((30, 40, 200))
        for theme in ShareCard.Theme.allCases {
            let first = try Measured(card(theme), covers: ["co1": red, "co2": blue]).scheme
            let second = try Measured(card(theme), covers: ["co1": blue, "co2": red]).scheme
            let none = try Measured(card(theme)).scheme
            for color in [first.ground.top, first.ground.bottom, first.band] {
                #expect(color.red > color.green && color.red > color.blue)
            }
            for color in [second.ground.top, second.ground.bottom, second.band] {
                #expect(color.blue > color.green && color.blue > color.red)
            }
            #expect(none.band != first.band && none.band != second.band)
        }
    }

    @Test("takes the hue of what is colourful on a cover, however little that is")
    func prevailing() throws {
        // A grey cover with a fifth of it in orange, and one of all greys.
        let mixed = try TestCover.jpeg((128, 128, 128), stripe: (240, 120, 20))
        let color = try #require(CoverPicture(jpeg: mixed)).prevailingColor
        #expect(color.red > 0.8 && color.blue < 0.3)
        let grey = try TestCover.jpeg((90, 90, 90), stripe: (150, 150, 150))
        let none = try #require(CoverPicture(jpeg: grey)).prevailingColor
        #expect(abs(none.red - none.blue) < 0.02)
        #expect(try CoverPicture(jpeg: TestCover.jpeg((0, 0, 0)))?.prevailingColor.luminance == 0)
    }

    @Test("of a poster consists of covers, and one tile that tells whose they are")
    func poster() throws {
        let measured = try Measured(ShareCard(.titled(Titles.long, why: "Yes."), .poster))
        #expect(measured.covers.count == 5 && measured.plates.count == 1)
        #expect(Set(measured.words.map(\.role)) == [.eyebrow, .name, .address])
        #expect(measured.covers[0].box.width > 1.9 * measured.covers[1].box.width)
    }
}
