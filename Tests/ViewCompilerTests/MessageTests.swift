import Testing

@testable import view_compiler

@Suite("The messages of a template")
struct MessageTests {
    private func messages(_ html: String) throws -> [String] {
        try Template("{% page page() %}\n" + html, file: "page.html", name: "page").messages.map {
            $0.id + ($0.pluralID.map { " | " + $0 } ?? "")
        }
    }

    private func compile(_ html: String, _ catalogue: String) throws -> String {
        let catalogue = try Catalogue(catalogue, file: "Languages/de.po", context: "page")
        return try Template(
            "{% page page() %}\n" + html, file: "page.html", name: "page", catalogues: [catalogue]
        ).swift
    }

    @Test(
        "are what is between the tags of blocks, with values and inline elements",
        arguments: [
            ("<h1>Hello</h1><p>You</p>", ["Hello", "You"]),
            ("<h1><bdi>{{ person.name }}</bdi>’s games</h1>", ["<bdi>{name}</bdi>’s games"]),
            ("<p>\n  A\n  <b>b</b>\n</p>", ["A <b>b</b>"]),
            ("<p><a href=\"/\">One</a> <a href=\"/\">Two</a></p>", ["One", "Two"]),
            (
                "<p>See <a href=\"/@{{ x }}\">one</a> or <a href=\"/\"{% if y %} hidden{% end %}>two</a></p>",
                ["See <a>one</a> or <a2>two</a2>"]
            ),
            ("<label><input> Yes</label>", ["Yes"]),
            ("<p>A<br>b</p>", ["A<br>b"]),
            ("<p>{{ a }} · {{ b }}</p>", []),
            ("<p>{{ row.count.grouped }} of {{ total(of: list) }}</p>", ["{count} of {total}"]),
            ("<p>{{ all: a + b }} things</p>", ["{all} things"]),
            ("<img alt=\"Cover of {{ game }}\" src=\"/a\" class=\"big\">", ["Cover of {game}"]),
            ("<p>A &amp; b&nbsp;c</p>", ["A &amp; b&nbsp;c"]),
            ("<p>{% if a %}One{% else %}Two{% end %}</p>", ["One", "Two"]),
            (
                "<p><b>{{ a }}</b> <i>from {{ b }}{% if c %} · {{ d }}{% end %}</i></p>",
                ["from {b}"]
            ),
            ("<p><b>{% if a %}One{% end %}</b></p>", ["One"]),
            (
                "<p>{% plural n %}<b>{{ n }}</b> list{% other %}<b>{{ n }}</b> lists{% end %}</p>",
                ["<b>{n}</b> list | <b>{n}</b> lists"]
            ),
            ("<pre>curl example</pre><p><code>--help</code></p>", []),
            ("<p>Run <code>it</code></p>", ["Run <code>it</code>"]),
            ("<p>One<!-- not --></p><p>two</p>", ["One", "two"]),
            ("<p>& hello; you</p>", ["& hello; you"]),
            ("<p>5\u{A0}km</p>", ["5\u{A0}km"]),
            (
                "{% plural n %}<a title=\"T\">A</a>{% other %}<a title=\"T\">As</a>{% end %}",
                ["T", "T", "<a>A</a> | <a>As</a>"]
            ),
        ])
    func extraction(html: String, expected: [String]) throws {
        #expect(try messages(html) == expected)
    }

    @Test(
        "can't be where translators don't see them, or can't tell values apart",
        arguments: [
            ("<p>{{ a ? \"Yes\" : \"no\" }}</p>", "Translators don't see \"Yes\""),
            ("{{ view(\"an id\") }}", "Translators don't see"),
            ("{% let a = \"It’s\" %}", "Translators don't see"),
            ("<p>{{ a.name }} and {{ b.name }}</p>", "called name"),
            ("<p>{{ a + b }} lists</p>", "Give this value a name"),
            ("{% plural n %}<p>A</p>{% other %}B{% end %}", "one sentence for each count"),
            (
                "{% plural n %}{% if a %}A{% end %}{% other %}B{% end %}",
                "one sentence for each count"
            ),
            ("{% plural n %}<b>{{ n }}</b>{% other %}{{ n }}{% end %}", "<b> is"),
            ("{% plural n %}<hr>{% other %}<hr>{% end %}", "one sentence for each count"),
            ("{% plural n %}{% other %}{{ n }} of{% end %}", "no words"),
            ("<b>A</b>{% plural n %} b{% other %} bs{% end %}", "White space"),
            (
                "{% plural n %}<a href=\"/a\">A</a>{% other %}<a href=\"/b\">As</a>{% end %}",
                "isn't the same in both"
            ),
            ("<title>{% plural n %}A{% other %}As{% end %}</title>", "can't be in <title>"),
            ("<p {% plural n %} a{% other %} b{% end %}></p>", "can't be in a tag"),
            ("<title>Games</title>", "Words in <title>"),
            ("<p title='Hello'></p>", "double quotes"), ("<p title=Hello></p>", "double quotes"),
            ("<p>{{ n == 1 ? \"game\" : \"games\" }}</p>", "Translators don't see"),
            ("<p><b>One <i>two</b> three</i></p>", "ends <i>"),
        ])
    func refusals(html: String, message: String) {
        let error = #expect(throws: TemplateError.self) { try messages(html) }
        #expect(error?.message.contains(message) == true, "\(error as Any)")
    }

    private static let header = """
        msgid ""
        msgstr ""
        "Plural-Forms: nplurals=2; plural=(n != 1);\\n"


        """

    @Test("are in the order of the language, with the template's own tags and values")
    func translation() throws {
        let swift = try compile(
            #"<p>Only <a href="/@{{ person }}">{{ name }}</a> knows</p>"#,
            Self.header
                + #"""
                msgctxt "page"
                msgid "Only <a>{name}</a> knows"
                msgstr "<a>{name}</a> "
                "wei\u00df es"
                """#.replacing(#"\u00df"#, with: "ß"))
        let german = try #require(swift.range(of: "case .de:\n"))
        let end = try #require(swift.range(of: "#if DEBUG"))
        let lines = swift[german.upperBound..<end.lowerBound].split(separator: "\n")
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.hasPrefix("#source") }
        #expect(
            lines == [
                #"__html.raw("<a href=\"/@")"#, "__html.attribute(", "person ", ")",
                #"__html.raw("\">")"#, "__html.text(", "name ", ")", #"__html.raw("</a> weiß es")"#,
            ])
    }

    @Test("that no one has translated are English, and say so")
    func missing() throws {
        let fuzzy = Self.header + "#, fuzzy\nmsgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\n"
        for catalogue in [Self.header, fuzzy] {
            let swift = try compile("<p>Yes</p>", catalogue)
            #expect(swift.contains("case .de:\n__html.raw(\"<span lang=\\\"en\\\">Yes</span>\")"))
        }
        // An attribute can't say so.
        #expect(try !compile("<p title=\"Yes\"></p>", Self.header).contains("case .de"))
    }

    @Test(
        "are refused with the line of the catalogue if they don't fit",
        arguments: [
            ("Ja", "{name} is missing"), ("{name} {name}", "{name} is there twice"),
            ("{name} {day}", "there is no {day}"), ("{name} <b>ja</b>", "<b> is not in English"),
            ("{name} <i>ja", "has no end"), ("{name}</i>", "ends nothing"),
            ("<i>{name}</i> <script></script>", "is not in English"),
            ("{name} a < b", "begins no tag"),
            ("{name} & ja", "written &amp;"), ("{name} <a href=''>", "begins no tag"),
            // A `<` in a longer `Character`.
            ("<i>{name}</i> \u{600}<img src=x onerror=alert(1) \u{600}>", "begins no tag"),
            ("<i></i>{name}", "in other elements"),
            ("<i>{name}</i> \u{202E}x", "control character"),
        ])
    func misfits(translation: String, message: String) {
        let catalogue =
            Self.header
            + "msgctxt \"page\"\nmsgid \"<i>{name}</i> says\"\nmsgstr \"\(translation)\"\n"
        let error = #expect(throws: TemplateError.self) {
            try compile("<p><i>{{ name }}</i> says</p>", catalogue)
        }
        #expect(error?.message.contains(message) == true, "\(error as Any)")
        #expect(error?.file == "Languages/de.po" && error?.line == 6)
    }

    @Test("count with a name that no template has")
    func shadows() throws {
        let swift = try compile(
            "{% for n in ranks %}{% plural total %}{{ n }} a{% other %}{{ n }} as{% end %}{% end %}",
            Self.header)
        #expect(swift.contains("let __n = (") && !swift.contains("let n "))
    }

    @Test("have no <span> in SVG, where it would end that")
    func svg() throws {
        let swift = try compile("<svg><text>Rank one</text></svg><p>Rank two</p>", Self.header)
        #expect(swift.components(separatedBy: "<span lang").count == 2)
    }

    @Test(
        "are read from all that gettext writes",
        arguments: [
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\nmsgctxt \"page\"\nmsgid \"No\"\nmsgstr \"\"\n",
            "msgctxt \"page\"\n\nmsgid \"Yes\"\n\nmsgstr \"J\"\n\"a\"",
            "#, fuzzy\n#~ msgid \"Yes\"\n#~ msgstr \"x\"\n\n#. Note\n#| msgid \"Y\"\nmsgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\n",
            "#, fuzzy\nmsgctxt \"other\"\nmsgid \"Yes\"\nmsgstr \"x\"\nmsgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\n",
            "msgctxt \"page\"\r\nmsgid \"Yes\"\r\nmsgstr \"Ja\"\r\n",
        ])
    func formats(entries: String) throws {
        let catalogue = "\u{FEFF}" + Self.header + entries
        #expect(try compile("<p>Yes</p>", catalogue).contains("raw(\"Ja\")"))
    }

    @Test(
        "aren't read from what gettext refuses",
        arguments: [
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\nmsgstr \"Ja\"\n",
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"x\"\u{301} onclick=\"\n",
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr Ja\n",
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgxyz \"\"\n",
            "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\n\nmsgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\"\n",
        ])
    func nonsense(entries: String) {
        let error = #expect(throws: TemplateError.self) {
            try compile("<p title=\"Yes\"></p>", Self.header + entries)
        }
        #expect(error?.file == "Languages/de.po")
    }

    @Test("can't leave an attribute")
    func attributes() throws {
        let swift = try compile(
            "<p title=\"Yes\"></p>",
            Self.header + "msgctxt \"page\"\nmsgid \"Yes\"\nmsgstr \"Ja\\\" onclick=\\\"x\"\n")
        #expect(swift.contains(#"Ja&quot; onclick=&quot;x"#))
    }

    @Test("have as many forms as the language")
    func forms() throws {
        let plural = "{% plural n %}{{ n }} list{% other %}{{ n }} lists{% end %}"
        let head = "msgctxt \"page\"\nmsgid \"{n} list\"\nmsgid_plural \"{n} lists\"\n"
        let swift = try compile(
            plural, Self.header + head + "msgstr[0] \"eine Liste\"\nmsgstr[1] \"{n} Listen\"\n")
        #expect(swift.contains("switch ((__n != 1) ? 1 : 0) {"))
        for (forms, message) in [
            ("msgstr[0] \"{n} Liste\"\n", "needs 2 forms"),
            ("msgstr \"{n} Liste\"\n", "needs 2 forms"),
            ("msgstr[0] \"{n}\"\nmsgstr[1] \"viele\"\n", "{n} is missing"),
            ("msgstr[0] \"{n}\"\nmsgstr[1] \"{n}\"\nmsgstr[2] \"{n}\"\n", "needs 2 forms"),
        ] {
            let error = #expect(throws: TemplateError.self) {
                try compile(plural, Self.header + head + forms)
            }
            #expect(error?.message.contains(message) == true, "\(error as Any)")
        }
    }
}

@Suite("A file of words")
struct WordsFileTests {
    @Test("becomes members of Words, which translators translate")
    func members() throws {
        let file = try WordsFile(
            """
            {% words saved %}Saved.
            {% words list(of person: String) %}{{ person }}’s list
            {% words places(left: Int) %}{% plural left %}One left{% other %}{{ left }} left{% end %}

            """, file: "lists.words", name: "lists")
        #expect(file.messages.map(\.id) == ["Saved.", "{person}’s list", "One left"])
        #expect(file.messages.map(\.pluralID) == [nil, nil, "{left} left"])
        #expect(file.swift.contains("package static var saved: Words {"))
        #expect(file.swift.contains("package static func list(of person: String) -> Words {"))
    }

    @Test("has translations that are no HTML")
    func plainText() throws {
        let catalogue = #"""
            msgid ""
            msgstr "Plural-Forms: nplurals=1; plural=0;\n"

            msgctxt "lists"
            msgid "Q & A"
            msgstr "\"F\" & A"
            """#
        let file = try WordsFile(
            "{% words questions %}Q & A\n", file: "lists.words", name: "lists",
            catalogues: [Catalogue(catalogue, file: "de.po", context: "lists")])
        #expect(file.swift.contains(#"__html.raw("\"F\" & A")"#))
    }

    @Test(
        "is refused where it isn't one",
        arguments: [
            "Saved.", "{% words %}A", "{% words Saved %}A", "{% words a %}{% if b %}A{% end %}",
            "{% words a(n: Int) %}{% plural n %}A{% other %}B",
            "{% words a(n: Int) %}A {% plural n %}",
            "{% words a(n: Int) %}{% plural n %}A{% other %}B{% end %} left", "{% words a %}",
            "{% words a(n: Int) %}{{ n == 1 ? \"game\" : \"games\" }}",
        ])
    func refusals(source: String) {
        #expect(throws: TemplateError.self) {
            try WordsFile(source, file: "a.words", name: "a")
        }
    }
}

@Suite("The formula for plurals")
struct PluralFormulaTests {
    @Test("gives the forms that gettext's manual lists")
    func forms() throws {
        let russian = try PluralFormula(
            header:
                "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
        )
        #expect(
            [0, 1, 2, 5, 11, 12, 21, 22, 111, 121].map(russian.form) == [
                2, 0, 1, 2, 2, 2, 0, 1, 2, 0,
            ])
        #expect(try PluralFormula(header: "nplurals=1; plural=0;").form(for: 7) == 0)
        let german = try PluralFormula(header: " nplurals=2; plural=n != 1")
        #expect([0, 1, 2].map(german.form) == [1, 0, 1])
        #expect(german.swift == "((__n != 1) ? 1 : 0)")
    }

    @Test(
        "is refused if it is none",
        arguments: [
            "", "nplurals=2", "nplurals=0; plural=0;", "nplurals=2; plural=n + 1;",
            "nplurals=2; plural=n%(n==5);", "nplurals=2; plural=n%0;", "nplurals=2; plural=n;",
            "nplurals=2; plural=(n;", "nplurals=2; plural=n ? 1;", "nplurals=2; plural=system(1);",
        ])
    func refusals(header: String) {
        #expect(throws: Message.Fault.self) { try PluralFormula(header: header) }
    }
}
