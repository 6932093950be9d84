import Testing

@testable import view_compiler

@Suite("The list of catalogues")
struct CatalogueListTests {
    private static let template = """
        msgid ""
        msgstr ""
        "Plural-Forms: nplurals=2; plural=(n != 1);\\n"

        msgctxt "page"
        msgid "One"
        msgstr ""

        msgctxt "page"
        msgid "Two"
        msgstr ""

        msgctxt "other"
        msgid "One"
        msgstr ""

        """

    private static func list(_ catalogue: String) throws -> String {
        try CatalogueList(
            template: template, file: "messages.pot", [(catalogue, "Views/Languages/pt-BR.po")]
        ).swift
    }

    @Test("counts what is translated and read, without what is fuzzy, empty or no longer there")
    func counts() throws {
        let list = try Self.list(
            """
            msgid ""
            msgstr ""
            "X-Reviewed: 2\\n"

            msgctxt "page"
            msgid "One"
            msgstr "Um"

            #, fuzzy
            msgctxt "page"
            msgid "Two"
            msgstr "Dois"

            msgctxt "other"
            msgid "One"
            msgstr ""

            msgctxt "other"
            msgid "Gone"
            msgstr "Foi"

            """)
        let words = list.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains("CatalogueState( .ptBR, messages: 3, translated: 1, reviewed: 2)"),
            "\(list)")
    }

    @Test("needs a header that says how much a native speaker has read")
    func header() {
        #expect(throws: TemplateError.self) { try Self.list(#"msgid """# + "\nmsgstr \"\"\n") }
    }
}
