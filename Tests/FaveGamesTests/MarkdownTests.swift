import FaveGames
import Testing

@Suite("Markdown")
struct MarkdownTests {
    /// The text in a notation that shows what was understood.
    private func notation(_ text: String) -> String {
        notation(Markdown(text))
    }

    private func notation(_ markdown: Markdown) -> String {
        let title = markdown.title.map { ["title(\($0))"] } ?? []
        return (title + markdown.blocks.map(notation)).joined(separator: " ")
    }

    private func notation(_ block: Markdown.Block) -> String {
        switch block {
        case .heading(let level, let phrases): "h\(level)(\(notation(phrases)))"
        case .paragraph(let phrases): "p(\(notation(phrases)))"
        case .list(let start, let items):
            "\(start.map { "ol\($0)" } ?? "ul")(\(items.map { notation($0) }.joined(separator: "; ")))"
        case .quote(let blocks): "q(\(blocks.map(notation).joined(separator: " ")))"
        case .divider: "hr"
        }
    }

    private func notation(_ phrases: [Markdown.Phrase]) -> String {
        phrases.map { phrase in
            let words = phrase.words.map { words in
                var text = words.breaksLine ? "/" : words.text
                if words.isCode { text = "code{\(text)}" }
                if words.isEmphasised { text = "em{\(text)}" }
                if words.isStrong { text = "strong{\(text)}" }
                return text
            }.joined()
            return phrase.link.map { "a{\($0.text)|\(words)}" } ?? words
        }.joined()
    }

    @Test(
        "has blocks",
        arguments: [
            ("", ""), ("\n \n", ""), ("One\ntwo\r\nthree\rfour", "p(One two three four)"),
            ("One\n\n\nTwo", "p(One) p(Two)"),
            (
                "# Our rules\n\n## Be kind\n### How\nText",
                "title(Our rules) h2(Be kind) h3(How) p(Text)"
            ),
            ("\u{FEFF}# Our rules\nText", "title(Our rules) p(Text)"), ("\u{FEFF}", ""),
            ("Hello\n\n# Be kind\n## How\n###### Deep", "p(Hello) h2(Be kind) h3(How) h4(Deep)"),
            ("## Kind ##\n#No\n# C#", "h3(Kind) p(#No) h2(C#)"),
            ("####### Seven", "p(####### Seven)"),
            ("- a\n- b\n  more\n* c", "ul(a; b more; c)"),
            ("- a\n\n- b\n\nText", "ul(a; b) p(Text)"),
            ("- a\n  - b\n- c", "ul(a; b; c)"), ("- a\n\n  more\n- b", "ul(a/more; b)"),
            ("3. a\n4) b", "ol3(a; b)"), ("1. a\n   - b\n2. c", "ol1(a) ul(b) ol2(c)"),
            ("Founded in\n2024. Since then\n1. a", "p(Founded in 2024. Since then) ol1(a)"),
            ("1234567. a", "p(1234567. a)"), ("-a\n-", "p(-a -)"),
            ("> a\n> b\n>\n> - c\nd", "q(p(a b) ul(c)) p(d)"), ("> > a", "q(p(> a))"),
            ("> # a", "q(h2(a))"), ("a\n***\nb\n- - -", "p(a) hr p(b) hr"),
        ])
    func blocks(text: String, expected: String) {
        #expect(notation(text) == expected)
    }

    @Test(
        "has styles and links in its text",
        arguments: [
            ("a *b* _c_ **d** __e__", "a em{b} em{c} strong{d} strong{e}"),
            ("***a*** **b *c* d**", "strong{em{a}} strong{b }strong{em{c}}strong{ d}"),
            ("2 * 3 * 4, snake_case_name", "2 * 3 * 4, snake_case_name"),
            ("*a **b", "*a **b"), ("*a *b*", "*a em{b}"), ("**a* b", "**a* b"),
            ("****a****", "****a****"),
            ("`a *b* <i>` ``c ` d`` `e", "code{a *b* <i>} code{c ` d} `e"),
            ("````a````", "````a````"),
            (#"\*a\* \[b](https://c.example) d\e \"#, #"*a* [b](https://c.example) d\e \"#),
            ("a  \nb\\\nc", "a/b/c"),
            ("[a *b*](https://c.example) d", "a{c.example|a em{b}} d"),
            ("**[a](mailto:b@c.example)**", "a{b@c.example|strong{a}}"),
            ("[a](https://b.example/c_(d))", "a{b.example/c_(d)|a}"),
            (
                "<https://a.example/> <b@c.example>",
                "a{a.example|https://a.example/} a{b@c.example|b@c.example}"
            ),
            ("[a](https://b.example", "[a](https://b.example"),
            ("[](https://b.example)", "[](https://b.example)"),
            ("[a [b](https://c.example)", "[a a{c.example|b}"),
            ("[a]: https://b.example", "[a]: https://b.example"),
            ("![a](https://b.example)", "!a{b.example|a}"),
        ])
    func words(text: String, expected: String) {
        #expect(notation(text) == "p(\(expected))")
    }

    @Test(
        "makes text of everything else, and a link of no other address",
        arguments: [
            "<script>alert(1)</script>", "&amp; &lt; &#106;", "<b onclick=x>", "<!-- a -->",
            "[a](javascript:alert(1))", "[a](data:text/html,b)", "[a](//b.example)",
            "[a](/settings)",
            "<javascript:alert(1)>", "[a](https://b.example \"c\")", "| a | b |",
        ])
    func other(text: String) {
        #expect(notation(text) == "p(\(text))")
    }

    @Test("has no control characters, and none that turn the direction of what is around them")
    func control() {
        #expect(notation("a\u{0}\u{202E}b\u{7F}\u{2066}\tc\u{85}") == "p(ab    c)")
        #expect(notation("[a](https://b\u{202E}.example)") == "p(a{b.example|a})")
    }

    @Test("of a plain text is its paragraphs, with its lines")
    func plain() {
        #expect(
            notation(Markdown(plain: "# One *two*\r\nthree\n\n\n<b>- four"))
                == "p(# One *two*/three) p(<b>- four)")
    }

    @Test(
        "is read in time, however it is meant to be slow", .timeLimit(.minutes(1)),
        arguments: [
            "*", "**a ", "_a*", "[", "[a](", "[a](b", "`", "` `` ``` ", "<", "<a", "\\", "> ", "- ",
            "#",
            "\n", "- a\n\n", "1. ", "((", "[`", "*[a](https://b.example)",
        ])
    func hostile(part: String) {
        // With quadratic work, this would take minutes.
        _ = Markdown(String(repeating: part, count: Markdown.limit / part.utf8.count))
    }
}
