import Testing

@testable import HTTP

@Suite("An Accept-Language field")
struct AcceptLanguageTests {
    private static let offered: [String: String?] = [
        "en": "en", "de": "de", "pt-br": "pt-BR", "pt": "pt-BR", "zh-hans": "zh-Hans",
        "zh": "zh-Hans", "zh-hant": nil, "zh-tw": nil,
    ]

    @Test(
        "finds the first language that there is, without some of its subtags if need be",
        arguments: [
            ("de", "de"), ("DE", "de"), ("de-AT", "de"), ("de-Latn-AT-1996", "de"),
            ("pt-br", "pt-BR"), ("pt-BR-x-sao", "pt-BR"), ("zh-Hans-CN", "zh-Hans"),
            ("fr, de", "de"), ("de, en", "de"), ("en, de", "en"),
            ("en-US,en;q=0.9,de;q=0.8", "en"),
            ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "en"),
            ("en;q=0.8, de;q=0.9", "de"), ("en;q=0.999, de", "de"), ("en;q=0.5,de;q=0.5", "en"),
            ("*, de;q=0.5", "de"), (" , de ,", "de"), ("de ; q=1.000", "de"), ("fr_FR, de", "de"),
            ("en;q=0, de;q=0.001", "de"), ("de-AT, de;q=0, en;q=0.1", "en"),
            ("pt", "pt-BR"), ("pt-PT, de", "pt-BR"), ("zh-CN", "zh-Hans"), ("zh-TW, de", "de"),
            ("zh-Hant-HK, zh;q=0.5", "zh-Hans"), ("pt-PT, pt;q=0, de;q=0.1", "de"),
        ])
    func found(value: String, tag: String) {
        #expect(AcceptLanguage(value).lookUp(among: Self.offered) == tag)
    }

    @Test(
        "finds none",
        arguments: [
            nil, "", "*", "fr", "fr, *;q=0.1", "ptx", "zh-Hant-TW", "ZH-tw", "d", "de;q=0", "den",
            "-", "x-de", "de;q=0, de", "*;q=0",
            "zh, zh-Hans;q=0", "zh-Hans, zh;q=0",
            // Malformed, as a whole.
            "de;q=2", "de;q=x", "de;q=", "de;level=1", "de en", "de;q=0.5;q=0.5", "de;q=1, ;",
            "\"de\"", "de/en", "de;q=0.0001",
        ] as [String?])
    func none(value: String?) {
        #expect(AcceptLanguage(value).lookUp(among: Self.offered) == nil)
    }

    @Test("is read only up to a length")
    func bounded() {
        let long = "de" + String(repeating: ", fr", count: 400)
        #expect(long.utf8.count > AcceptLanguage.limit)
        #expect(AcceptLanguage(long).lookUp(among: Self.offered) == nil)
        let full = "de" + String(repeating: ",f", count: (AcceptLanguage.limit - 2) / 2)
        #expect(full.utf8.count == AcceptLanguage.limit)
        #expect(AcceptLanguage(full).lookUp(among: Self.offered) == "de")
        let hyphens = "de" + String(repeating: "-", count: AcceptLanguage.limit - 2)
        #expect(AcceptLanguage(hyphens).lookUp(among: Self.offered) == "de")
    }
}
