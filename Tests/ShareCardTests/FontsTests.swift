import FaveGames
import Foundation
import Testing

@testable import ShareCard

@Suite("The fonts that setup installs")
struct FontsTests {
    @Test(
        "have the letters of many languages",
        arguments: [
            "Hello, Wörld! Ænima Łódź Đặng", "Καλημέρα κόσμε", "Привет, мир! Ґудзик",
            "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "გამარჯობა", "Բարեւ",
            "超级马力欧兄弟", "シェンムー 横須賀", "블루 아카이브", "🎮🕹️👩‍🚀", "♥ ™ … — № €",
        ])
    func known(text: String) throws {
        try withCanvas { canvas in
            for weight in [Font.Weight.medium, .semibold, .bold, .extraBold] {
                for size in [20.0, 54] {
                    let block = try TextBlock(text, Font(size: size, weight: weight), on: canvas)
                    #expect(block.unknownGlyphCount == 0)
                    #expect(block.size.width > size)
                }
            }
        }
    }

    @Test("do not have what is no letter, which the check for it finds")
    func unknown() throws {
        try withCanvas { canvas in
            let font = Font(size: 20, weight: .bold)
            let block = try TextBlock("\u{10FFFF}a", font, on: canvas)
            #expect(block.unknownGlyphCount == 1)
        }
    }

    @Test("may all be missing: a card is drawn all the same")
    func none() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "no-fonts-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("fonts.conf")
            try Data("<fontconfig></fontconfig>".utf8).write(to: file)
            setenv("FONTCONFIG_FILE", file.path, 1)
            try withCanvas { canvas in
                let block = try TextBlock("a", Font(size: 20, weight: .bold), on: canvas)
                #expect(block.unknownGlyphCount == 1, "there are no fonts")
            }
            let png = try ShareCard(.five).png()
            #expect(PNGHead(png) == PNGHead(width: 1200, height: 630))
        }
    }

    @Test("put text that is written from right to left on the left, with its end cut")
    func rightToLeft() throws {
        try withCanvas { canvas in
            let font = Font(size: 20, weight: .bold)
            let name = try TextBlock("שלום", font, width: 500, on: canvas)
            #expect(name.size.width < 100)
            #expect(name.isWhole)
            let long = try TextBlock(
                String(repeating: "שלום ", count: 99), font, width: 500, lines: 2, on: canvas)
            #expect(!long.isWhole)
            #expect(long.size.width <= 501)
            #expect(long.size.height < 4 * name.size.height)
        }
    }

    @Test("cut long text after a word, and break only a word that is longer than a line")
    func cutting() throws {
        try withCanvas { canvas in
            func block(_ text: String, _ width: Double, _ lines: Int) throws -> TextBlock {
                try TextBlock(
                    text, Font(size: 20, weight: .bold), width: width, lines: lines, on: canvas)
            }
            let whole = try block("one hand on the pause button", 200, 2)
            #expect(whole.isWhole && !whole.breaksWord)
            let cut = try block("one hand on the pause button", 200, 1)
            #expect(!cut.isWhole && !cut.breaksWord)
            // What is left ends with a word.
            let same = try ["one hand on…", "one hand on the…"].map { try block($0, 200, 1) }
            #expect(same.contains { $0.isWhole && $0.size.width == cut.size.width })
            let broken = try block("one " + String(repeating: "W", count: 30), 200, 9)
            #expect(broken.isWhole && broken.breaksWord)
            #expect(broken.size.width <= 201)
            let long = try block(String(repeating: "W", count: 99), 200, 2)
            #expect(!long.isWhole && long.size.width <= 201)
            let narrow = try block("WW", 1, 1)
            #expect(!narrow.isWhole)
        }
    }
}

private func withCanvas(_ body: (Canvas) throws -> Void) throws {
    var outcome = Result<Void, any Error>.success(())
    try Canvas.draw(width: 10, height: 10) { canvas in outcome = Result { try body(canvas) } }
    try outcome.get()
}
