import FaveGames
import Testing

@Suite("The operator's text")
struct SiteTextTests {
    /// The text in a notation that shows what was understood.
    private func notation(_ text: String) -> String {
        let text = SiteText(text)
        return ((text.title.map { ["title(\($0))"] } ?? []) + text.blocks.map(notation))
            .joined(separator: " ")
    }

    private func notation(_ block: SiteText.Block) -> String {
        switch block {
        case .heading(let level, let phrases): "h\(level)(\(notation(phrases)))"
        case .paragraph(let phrases): "p(\(notation(phrases)))"
        case .list(let items): "ul(\(items.map { notation($0) }.joined(separator: "; ")))"
        }
    }

    private func notation(_ phrases: [SiteText.Phrase]) -> String {
        phrases.map { phrase in
            if phrase.breaksLine { return "/" }
            return phrase.link.map { "a{\($0.text)|\(phrase.text)}" } ?? phrase.text
        }.joined()
    }

    @Test(
        "has paragraphs, headings and lists",
        arguments: [
            ("", ""), ("\n \n", ""), ("One\ntwo\r\nthree\rfour", "p(One/two/three/four)"),
            ("One\n\n\nTwo", "p(One) p(Two)"),
            ("\u{FEFF}# Our rules\nText", "title(Our rules) p(Text)"),
            (
                "# Our rules\n\n## Be kind\n### How\nText",
                "title(Our rules) h2(Be kind) h3(How) p(Text)"
            ),
            ("Hello\n# Be kind\n###### Deep", "p(Hello) h2(Be kind) h3(Deep)"),
            ("# One\n# Two", "title(One) h2(Two)"),
            ("#No\n####### Seven\n#", "p(#No/####### Seven/#)"),
            ("- a\n- b\n  more\n* c", "ul(a; b/more; c)"),
            ("- a\n\n- b\n\nText", "ul(a; b) p(Text)"),
            ("a\n- b\nc\n## d", "p(a) ul(b) p(c) h2(d)"), ("-a\n-\n---", "p(-a/-/---)"),
            ("1. a\n2. b", "p(1. a/2. b)"), ("a  b\tc", "p(a b c)"),
        ])
    func blocks(text: String, expected: String) {
        #expect(notation(text) == expected)
    }

    @Test(
        "links addresses, without the marks around them",
        arguments: [
            ("See https://a.example/?b=c&d.", "See a{a.example/?b=c&d|https://a.example/?b=c&d}."),
            ("(jane@couch.example), hi", "(a{jane@couch.example|jane@couch.example}), hi"),
            ("- <http://a.example>", "a{a.example|http://a.example}"),
            ("mailto:a@b.example!", "a{a@b.example|mailto:a@b.example}!"),
            (
                "https://a.example https://b.example",
                "a{a.example|https://a.example} a{b.example|https://b.example}"
            ),
        ])
    func links(text: String, expected: String) {
        #expect(notation(text).contains(expected))
    }

    @Test(
        "is shown as it is otherwise, and leads nowhere else",
        arguments: [
            "<script>alert(1)</script>", "&amp; &lt;", "javascript:alert(1)", "//b.example",
            "data:text/html,b", "/settings", "https://", "https://a\"onclick=b", "@rob", "a@",
            "**a**",
            "[a](https://b.example \"c\")x", "ftp://a.example",
        ])
    func other(text: String) {
        guard case .paragraph(let phrases)? = SiteText(text).blocks.first else {
            Issue.record("no paragraph")
            return
        }
        #expect(phrases.count == 1 && phrases[0].text == text && phrases[0].link == nil)
    }

    @Test("has no control characters, and none that turn the direction of what is around them")
    func control() {
        #expect(notation("a\u{0}\u{202E}b\u{7F}\u{2066}\tc") == "p(ab c)")
    }

    @Test(
        "is read in time, however it is meant to be slow", .timeLimit(.minutes(1)),
        arguments: [
            "- a\n", "- a\n b\n", "#", "# a\n", "\n", "a\n", "(", "a@", "https://a.b/ ", ")",
        ])
    func hostile(part: String) {
        // With quadratic work, this would take minutes.
        _ = SiteText(String(repeating: part, count: SiteText.limit / part.utf8.count))
    }
}
