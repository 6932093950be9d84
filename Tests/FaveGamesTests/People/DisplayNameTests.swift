import Testing

@testable import FaveGames

@Suite("A display name")
struct DisplayNameTests {
    @Test("is of any script, on one line")
    func scripts() {
        #expect(DisplayName("  Zoë\n de\tla  Cruz ")?.text == "Zoë de la Cruz")
        #expect(DisplayName("山田 太郎 🎮")?.text == "山田 太郎 🎮")
        #expect(DisplayName("שלום")?.text == "שלום")
    }

    @Test(
        "cannot turn the direction of the text around it",
        arguments: [
            "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}",
            "\u{2068}", "\u{2069}",
        ])
    func direction(override: String) {
        #expect(DisplayName("ro\(override)b")?.text == "rob")
        #expect(DisplayName(override) == nil)
    }

    @Test("keeps the marks and joiners that scripts and emoji need")
    func joiners() {
        let family = "👩‍👩‍👧"
        #expect(DisplayName(family)?.text == family)
        #expect(DisplayName("نمی\u{200C}خواهم")?.text == "نمی\u{200C}خواهم")
    }

    @Test("has one to eighty characters")
    func limit() {
        #expect(DisplayName(String(repeating: "ä", count: 80)) != nil)
        #expect(DisplayName(String(repeating: "ä", count: 81)) == nil)
        #expect(DisplayName("") == nil)
        #expect(DisplayName(" \n\u{0}\u{202E} ") == nil)
    }

    @Test(
        "has something that can be seen",
        arguments: [
            "\u{200B}", "\u{200D}\u{FE0F}", "\u{301}", "\u{E000}", "\u{3164}", "\u{AD} \u{2060}",
        ])
    func visible(name: String) {
        #expect(DisplayName(name) == nil)
        #expect(DisplayName(name + "x") != nil)
    }

    @Test("is measured after cleaning")
    func limitAfterCleaning() {
        let name = String(repeating: "a", count: 80)
        #expect(DisplayName("  \u{202E}" + name + "\u{202C}\u{0}  ")?.text == name)
    }
}
