import HTTP
import Languages
import Testing

@Suite("A language")
struct LanguageTests {
    @Test("has a tag and a name of its own")
    func tags() {
        for language in Language.allCases {
            #expect(Language(tag: language.tag) == language)
            #expect(Language(tag: language.tag.uppercased()) == language)
        }
        #expect(Set(Language.allCases.map(\.name)).count == Language.allCases.count)
        #expect(Language(tag: "zh") == nil && Language(tag: "pt_BR") == nil)
    }

    @Test(
        "suits people who ask for it or for what it includes",
        arguments: [
            ("zh", .zhHans), ("zh-CN", .zhHans), ("zh-SG", .zhHans), ("zh-Hans-TW", .zhHans),
            ("zh-TW", nil), ("zh-Hant", nil), ("zh-Hant-CN", nil), ("zh-HK", nil), ("zh-MO", nil),
            ("zh-TW, ja", .ja), ("pt", .ptBR), ("pt-PT", .ptBR), ("pt-BR", .ptBR),
            ("es-MX", .es), ("es-419", .es), ("de-AT", .de), ("fr-CA", .fr), ("en-GB", .en),
            ("ru-RU", .ru), ("ko-KR", .ko), ("ja-JP", .ja), ("it", nil),
        ] as [(String, Language?)])
    func ranges(value: String, language: Language?) {
        let all = OfferedLanguages(Language.allCases)
        #expect(AcceptLanguage(value).lookUp(among: all.byRange) == language)
        #expect(Language(closestTo: value) == language)
        let english = OfferedLanguages()
        #expect(
            AcceptLanguage(value).lookUp(among: english.byRange) == (language == .en ? .en : nil))
    }
}
