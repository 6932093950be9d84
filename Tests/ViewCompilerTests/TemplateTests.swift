import Foundation
import Testing

@testable import view_compiler

@Suite("A template")
struct TemplateTests {
    private func compile(_ source: String, name: String = "page") throws -> String {
        try Template(source, file: "/views/\(name).html", name: name).swift
    }

    /// The statements of the function, without where they are from.
    private func body(_ html: String) throws -> [String] {
        let lines = try compile("{% page page() %}\n" + html).components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#sourceLocation") }
        let start = try #require(lines.firstIndex { $0.hasPrefix("func __write") })
        return Array(lines[(start + 1)...].dropLast(4))
    }

    private func refusal(of source: String, name: String = "page") -> TemplateError? {
        do {
            _ = try compile(source, name: name)
            return nil
        } catch {
            return error as? TemplateError
        }
    }

    @Test("becomes a function, for this module or for others")
    func functions() throws {
        let view = try compile("{% view page(_ name: String) %}\nA")
        #expect(view.contains("\nstatic func page(_ name: String, to __html: inout HTML) {\n"))
        #expect(try compile("{% view page() %}\n").contains("page(to __html: inout HTML) {\n"))
        let page = try compile(
            "{% page platformGame(\n    _ name: String\n) %}\nA", name: "platform-game")
        #expect(page.contains("\npackage static func platformGame(\n    _ name: String\n)"))
    }

    @Test("keeps its HTML as it is, but for the end of the last line")
    func literals() throws {
        #expect(try body("<p>\"1\\2\"\n é\u{301}</p>\n") == [#"__html.raw("<p>\"1\\2\"\n é́</p>")"#])
        #expect(try body("") == [])
        #expect(try body("\n") == [])
        #expect(try body("1\n\n") == [#"__html.raw("1\n")"#])
    }

    @Test("writes each value for its place")
    func values() throws {
        #expect(
            try body(#"<a href="{{ a }}" title="{{ b }}">{{ c }}</a>"#) == [
                #"__html.raw("<a href=\"")"#, "__html.address(", "a", ")",
                #"__html.raw("\" title=\"")"#, "__html.attribute(", "b", ")", #"__html.raw("\">")"#,
                "__html.text(", "c", ")", #"__html.raw("</a>")"#,
            ])
    }

    @Test("lets views write into its own HTML, wherever a value is a call of one")
    func views() throws {
        #expect(try body("{{ a() }}") == ["HTML", ".a(", "to: &__html)"])
        #expect(
            try body("{{ self.a(b(c), d: \"\\(e)\") }}") == [
                "HTML", #".a(b(c), d: "\(e)""#, ", to: &__html)",
            ])
        for value in ["a", "a(b).c", "a(b) + c(d)", "A(b)", "a.b(c)", "-a(b)"] {
            #expect(try body("{{ \(value) }}") == ["__html.text(", value, ")"])
        }
        #expect(try body("<p title=\"{{ a(b) }}\"></p>")[1] == "__html.attribute(")
        #expect(try compile("{% page page(_ a: Int) %}\n{{ a }}").contains("View(reserving: 32, "))
    }

    @Test("has the statements of Swift")
    func statements() throws {
        #expect(
            try body(
                "{% for a in b %}\n{% if let c = a.c %}{{ c }}{% else if d %}{% else %}-{% end %}\n{% end %}\n{% let e = 1 %}"
            )
                == [
                    "for a in b", "{", "if let c = a.c", "{", "__html.text(", "c", ")", "}",
                    "else if d",
                    "{", "}", "else", "{", #"__html.raw("-")"#, "}", #"__html.raw("\n")"#, "}",
                    "let e = 1",
                ])
    }

    @Test("leaves nothing of a line that has a statement only")
    func blankLines() throws {
        #expect(
            try body("1\n  {% if b %}  \n3\n{% end %}\n2")
                == [
                    #"__html.raw("1\n")"#, "if b", "{", #"__html.raw("3\n")"#, "}",
                    #"__html.raw("2")"#,
                ])
        #expect(try body("1 {% let b = 1 %}\n") == [#"__html.raw("1 ")"#, "let b = 1"])
        #expect(try body("{{ a }}\n2") == ["__html.text(", "a", ")", #"__html.raw("\n2")"#])
    }

    @Test("may have its delimiters in strings and brackets")
    func delimiters() throws {
        #expect(try body(#"{{ "}}" + f("%}\"}}") }}"#)[1] == #""}}" + f("%}\"}}")"#)
        #expect(try body("{{ a.map { $0 } }}")[1] == "a.map { $0 }")
        #expect(try body("{{ a.map { b[$0]}}}")[1] == "a.map { b[$0]}")
        #expect(try body("{ 1 } % } }}") == [#"__html.raw("{ 1 } % } }}")"#])
    }

    @Test("tells the Swift compiler the line and the column of each tag")
    func places() throws {
        let lines = try compile("{% view page() %}\n<p>\n  <b>{{ name }}</b>\n\n</p>")
            .components(separatedBy: "\n")
        let value = try #require(lines.firstIndex { $0.contains("name") })
        // The line before the value is the template's second.
        #expect(lines[value - 2] == "#sourceLocation(file: \"/views/page.html\", line: 2)")
        #expect(lines[value].hasPrefix(String(repeating: " ", count: 8) + "name"))
    }

    @Test(
        "is refused with the place of what is wrong",
        arguments: [
            ("<p>", 1, 1, "must begin with {% page page(…) %}"),
            ("{% view other() %}\n", 1, 1, "must begin with"),
            ("{% view pages() %}\n", 1, 1, "must begin with"),
            ("{% if page() %}\n", 1, 1, "must begin with"),
            ("\n{% view page() %}\n", 1, 1, "must begin with"),
            ("{% view page() %}<p>", 1, 18, "on a line of its own"),
            ("{% view page() %}\n<b>{{ a", 2, 4, "isn't closed"),
            ("{% view page() %}\n<b>{{ a {{ b }}", 2, 4, "isn't closed"),
            ("{% view page() %}\n{% if a\n{% end %}", 2, 1, "isn't closed"),
            ("{% view page() %}\n{{ a) + (b }}", 2, 5, "no opening one"),
            ("{% view page() %}\n é{{ }}", 2, 4, "no value"),
            ("{% view page() %}\na\n{% while a %}", 3, 1, "\"while\" is no statement"),
            ("{% view page() %}\n{% %}", 2, 1, "is no statement"),
            ("{% view page() %}\n{% end %}", 2, 1, "no block to end"),
            ("{% view page() %}\n{% else %}", 2, 1, "no block to end"),
            ("{% view page() %}\n{% for a in b %}{% else %}{% end %}", 2, 17, "Only {% if %}"),
            ("{% view page() %}\n{% if a %}{% else %}{% else %}{% end %}", 2, 21, "else already"),
            ("{% view page() %}\n{% if a %}{% else %}{% else if b %}{% end %}", 2, 21, "already"),
            ("{% view page() %}\n{% if a %}{% else for %}{% end %}", 2, 11, "Write {% else %}"),
            ("{% view page() %}\n{% if a %}{% end if %}", 2, 11, "Write {% end %}"),
            ("{% view page() %}\n  {% if a %}", 2, 5, "no {% end %}"),
            ("{% view page() %}\n<p {{ a }}>", 2, 4, "can't be in a tag"),
            ("{% view page() %}\n<p>\n a < b", 3, 5, "written &lt;"),
            ("{% view page() %}\n<p class=\"", 2, 1, "ends in the attribute class"),
            ("{% view page() %}\n<script>\n", 3, 1, "ends in <script>"),
            ("{% view page() %}\n{% if a %}<b {% end %}>", 2, 14, "began in text in line 2"),
            (
                "{% view page() %}\n<b\n{% if a %} c=\"{% end %}\">", 3, 15,
                "ends in the attribute c"
            ),
            (
                "{% view page() %}\n<a href=\"{% if a %}/b{% end %}{{ c }}\">", 2, 22,
                "depends on this branch"
            ),
            ("{% view page() %}\n{% if a %}<title>{% else %}{% end %}", 2, 18, "ends in <title>"),
            (
                "{% view page() %}\n<meta{% if a %} http-equiv=\"refresh\"{% end %} content=\"{{ b }}\">",
                2, 37, "depends on this branch"
            ),
            ("{% view page() %}\n<a {% if a %}on{% end %}click=\"\">", 2, 14, "white space"),
        ])
    func refusals(source: String, line: Int, column: Int, words: String) throws {
        let error = try #require(refusal(of: source))
        #expect(error.message.contains(words), "\(error.message)")
        #expect((error.line, error.column) == (line, column), "\(error)")
    }

    @Test("is named after its file")
    func names() {
        #expect(Template.functionName("ranking") == "ranking")
        #expect(Template.functionName("platform-game") == "platformGame")
        #expect(Template.functionName("a-b-c") == "aBC")
    }

    @Test(
        "cannot hide what is behind it",
        arguments: [
            "{{ a /* }}\">x{{ \"\" */ }}", "{{ a // b }}", "{% let a = 1\n#if false %}",
            "{{ \"\"\" }}{{ \"\"\" }}", "{% let a = 1; __html.raw(\"<b>\") %}", "{{ a; b }}",
            "{{ __html }}", "{% let a = __html.raw(\"<b>\") %}",
        ])
    func hiding(html: String) {
        #expect(
            refusal(of: "{% view page() %}\n" + html)?.message.contains("can't contain") == true)
    }

    @Test("cannot end its function")
    func injection() {
        #expect(refusal(of: "{% view page() %}\n{{ a } } func b() { if c { __html.raw(d }}") != nil)
    }

    @Test(
        "refuses sentences that are put together from branches",
        arguments: [
            ("<p>You have {% if a %}one{% else %}none{% end %} left</p>", 23),
            ("<p>{{ n }} list{% if a %}s{% end %}</p>", 26),
            ("<p>{% if a %}Shared {% end %}rank</p>", 30),
            ("<p>On <b>{% if a %}many{% else %}few{% end %}</b> lists</p>", 20),
            ("<span><span>{% if a %}Shared {% end %}rank </span>{{ n }}</span>", 39),
            ("<p>{% for a in b %}{{ a }} or {% end %}none</p>", 40),
            ("<p>A{% if a %}<b>B</b>{% end %}</p>", 18),
            ("<p>{% if a %}{% if b %}A{% end %}{% end %}B</p>", 43),
            ("<p>{% plural n %}a list{% other %}lists{% end %} here</p>", 50),
            (#"<p title="{% if a %}Not {% end %}here"></p>"#, 34),
            ("{% if a %}A{% end %}B", 21),
            ("<p>By {% if a %}{{ a }}{% end %}</p>", 17),
        ])
    func branchesInSentences(html: String, column: Int) throws {
        let refusal = try #require(self.refusal(of: "{% page page() %}\n" + html))
        #expect(refusal.message.contains("behind a branch"), "\(refusal)")
        #expect((refusal.line, refusal.column) == (2, column), "\(html)")
    }

    @Test(
        "takes whole sentences in branches, and what belongs to none",
        arguments: [
            "<p>{% if a %}One{% else if b %}Two{% else %}None{% end %}</p>",
            "<p>{% if a %}{% if b %}A{% else %}B{% end %}{% else %}C{% end %}</p>",
            "<p>{{ name }}{% if a %} · updated {{ day }}{% end %}</p>",
            "<p><a>Share</a>{% if a %} <a>Edit</a>{% end %}</p>",
            "<p>Share</p>{% if a %}<p>Edit</p>{% end %}",
            "<p>A{% if a %}</p><p>B{% end %}</p>",
            "<p>{% for a in b %}<a>tag {{ a }}</a>{% end %}</p>",
            "<p>A&nbsp;·&nbsp;{% if a %}{{ b }}{% end %}</p>",
            "<p>{% if a %}&nbsp;{% end %}{{ b }}</p>",
            #"<p class="a{% if a %} b{% end %}"{% if b %} hidden{% end %}>A</p>"#,
            "<p>{% plural n %}<b>{{ n }}</b> list{% other %}<b>{{ n }}</b> lists{% end %}</p>",
        ])
    func sentences(html: String) throws { _ = try body(html) }

    @Test("has one sentence for a count of one, and another for all others")
    func plurals() throws {
        let english = try body("{% plural a.count - 1 %}1{% other %}2{% end %}")
        #expect(english.prefix(4) == ["do {", "let __n = (", "a.count - 1", ")"])
        #expect(
            english.suffix(8) == [
                "switch __n == 1 ? 0 : 1 {", "case 0:", #"__html.raw("1")"#, "default:",
                #"__html.raw("2")"#, "}", "}", "}",
            ])
        for (html, message) in [
            ("{% plural a %}A{% end %}", "needs an {% other %}"),
            ("{% plural a %}A{% else %}B{% end %}", "Only {% if %} has an else"),
            ("{% plural a %}A{% other %}B{% other %}C{% end %}", "one {% other %}"),
            ("{% if a %}A{% other %}B{% end %}", "Only {% plural %}"),
            ("<b>{% if a %}</b>{% end %}", "other inline elements"),
        ] {
            let refusal = self.refusal(of: "{% page page() %}\n" + html)
            #expect(refusal?.message.contains(message) == true, "\(html): \(refusal as Any)")
        }
    }
}

@Suite("Files in the program")
struct EmbeddedFileListTests {
    @Test("are written with their paths and in base64")
    func swift() {
        let swift = EmbeddedFileList([("a/b.css", .init([0, 255])), ("é\".svg", .init())]).swift
        #expect(swift.contains("path: \"a/b.css\",\n            base64: \"AP8=\"),"))
        #expect(swift.contains("path: \"é\\\".svg\",\n            base64: \"\"),"))
    }
}
