import FaveGames
import Testing

@Suite("A colour")
struct ColorTests {
    private func color(_ text: String) throws -> Color { try #require(Color(text)) }

    @Test("is read and written as in a stylesheet")
    func text() throws {
        #expect(try color("#0b6b57").bytes == [0x0B, 0x6B, 0x57])
        #expect(try color("#0B6B57").description == "#0b6b57")
        #expect(try color("#ffffff") == Color(0xFFFFFF))
        for text in ["", "#", "#fff", "0b6b57", "#0b6b5", "#0b6b577", "#+b6b57", "#0b6b5g", "red"] {
            #expect(Color(text) == nil, "\(text)")
        }
    }

    @Test(
        "gets another luminance, and keeps its hue",
        arguments: [0x0B6B57, 0xFFD400, 0x0000FF, 0x808080])
    func luminance(number: Int) {
        let color = Color(number)
        for luminance in [0.02, 0.2, 0.5, 0.9] {
            let other = color.with(luminance: luminance)
            #expect(abs(other.luminance - luminance) < 0.01, "\(other)")
            let parts = [color.red, color.green, color.blue]
            let others = [other.red, other.green, other.blue]
            for one in 0..<3 {
                for two in 0..<3 where parts[one] > parts[two] {
                    #expect(others[one] >= others[two], "\(other)")
                }
            }
        }
        #expect(color.with(luminance: 0) == Color(0) && color.with(luminance: 1) == Color(0xFFFFFF))
        #expect(abs(color.mixed(withGrey: 0.4).luminance - color.luminance) < 0.01)
        let grey = color.mixed(withGrey: 1)
        #expect(grey.red == grey.green && grey.green == grey.blue)
        #expect(color.vivid.bytes.max() == 255)
        #expect(Color(0).vivid == Color(0))
    }

    /// Pairs with the ratios that WCAG's own tools give, and those of the specification.
    @Test(
        "has the contrast of WCAG 2.2 with others",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#767676", "#ffffff", 4.54),
            ("#777777", "#ffffff", 4.48), ("#ff0000", "#ffffff", 4.0), ("#0000ff", "#ffffff", 8.59),
            ("#008000", "#ffffff", 5.14), ("#595959", "#000000", 3.0),
        ])
    func contrast(one: String, other: String, ratio: Double) throws {
        let (one, other) = try (color(one), color(other))
        #expect(abs(one.contrast(with: other) - ratio) < 0.01, "\(one.contrast(with: other))")
        #expect(one.contrast(with: other) == other.contrast(with: one))
    }
}

@Suite("An accent")
struct AccentTests {
    @Test(
        "can be read wherever it is, in both looks",
        arguments: [
            0x0B6B57, 0xB3124F, 0x000000, 0x555555, 0x00008B, 0x0000FF, 0x8B0000, 0x6A1E08,
            0x4B5320, 0x123456, 0x660066,
        ])
    func contrast(color: Int) throws {
        let accent = try Accent(Color(color))
        #expect(accent.light == Color(color))
        for ground in Accent.lightGrounds { #expect(accent.light.contrast(with: ground) >= 4.5) }
        for ground in Accent.darkGrounds { #expect(accent.dark.contrast(with: ground) >= 4.5) }
        #expect(accent.dark.contrast(with: accent.onDark) >= 4.5)
        for ground in [Accent.lightGrounds[1], Accent.darkGrounds[1]] {
            #expect(accent.icon.contrast(with: ground) >= 3)
        }
    }

    @Test("has the same hue in the dark look")
    func hue() throws {
        let dark = try Accent(Color(0x0B6B57)).dark
        // The proportions in which the parts differ.
        let proportion = (dark.blue - dark.red) / (dark.green - dark.red)
        #expect(abs(proportion - Double(0x57 - 0x0B) / Double(0x6B - 0x0B)) < 0.02)
        #expect(dark.green > dark.blue && dark.blue > dark.red)
        let grey = try Accent(Color(0x555555)).dark
        #expect(grey.red == grey.blue && grey.red == grey.green)
    }

    @Test("that ships can be read, too")
    func standard() throws {
        let standard = Accent.standard
        #expect(throws: Never.self) { try Accent(standard.light) }
        for ground in Accent.darkGrounds { #expect(standard.dark.contrast(with: ground) >= 4.5) }
        #expect(standard.dark.contrast(with: standard.onDark) >= 4.5)
    }

    @Test(
        "that is too light is refused, with the nearest that isn't",
        arguments: [0xFFCC00, 0xFFFFFF, 0x00A000, 0x7F7F7F, 0x12A5D6])
    func tooLight(color: Int) throws {
        let error = try #require(throws: UnreadableColor.self) { try Accent(Color(color)) }
        #expect(error.ratio < 4.5)
        #expect(Accent.lightGrounds.contains(error.ground))
        #expect(throws: Never.self) { try Accent(error.nearest) }
        // A little lighter would not do.
        let least = Accent.lightGrounds.map { error.nearest.contrast(with: $0) }.min()
        #expect((4.5..<4.65).contains(least ?? 0), "\(error.nearest)")
    }
}
