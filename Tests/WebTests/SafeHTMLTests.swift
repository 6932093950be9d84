import Mustache
import Testing

@testable import Web

@Suite("Escaping for HTML")
struct SafeHTMLTests {
    private func escape(_ text: String) -> String { SafeHTML().escapeText(text) }

    @Test("replaces the five characters of markup")
    func five() {
        #expect(
            escape(#"<a href="x">R&D's</a>"#)
                == "&lt;a href=&quot;x&quot;&gt;R&amp;D&#39;s&lt;/a&gt;")
        #expect(escape("&amp;") == "&amp;amp;")
    }

    @Test("leaves everything else as it is", arguments: ["", "plain", "日本語 é 🎮", "`=/{}[]()\\"])
    func others(text: String) {
        #expect(escape(text) == text)
    }

    @Test(
        "sees a character that has others joined to it",
        arguments: ["<", ">", "&", "\"", "'"])
    func joined(character: String) {
        for text in [
            character + "\u{301}", "\u{600}" + character, character + "\u{200D}",
            character + "\u{FE0F}", "\u{110BD}" + character + "\u{E0100}",
        ] {
            let escaped = escape(text)
            #expect(!escaped.utf8.contains(character.utf8.first ?? 0) || character == "&")
            #expect(escaped.utf8.count > text.utf8.count, "\(text)")
            #expect(
                escaped.unicodeScalars.contains("&"), "\(text)")
        }
    }

    @Test("is what templates use")
    func inTemplates() throws {
        MustacheContentTypes.register(SafeHTML(), named: SafeHTML.name)
        let template = try MustacheTemplate(
            string: "{{% CONTENT_TYPE: SafeHTML}}\n<b title=\"{{text}}\">")
        struct Model { let text: String }
        #expect(template.render(Model(text: "\"\u{301}>")) == "<b title=\"&quot;\u{301}&gt;\">")
        #expect(template.render(Model(text: "\u{600}\"")) == "<b title=\"\u{600}&quot;\">")
    }
}
