import HTTP
import HTTPTypes
import Languages
import TestSupport
import Testing

@testable import Web

@Suite("The language of a page")
struct PageLanguagesTests {
    private static func languages(_ offered: OfferedLanguages) -> PageLanguages {
        var settings = WebSettings(publicURL: "https://fave.example")
        settings.languages = offered
        return PageLanguages(settings, Routes.router)
    }

    private static let several = OfferedLanguages([.en, .accented, .mirrored])

    private static func request(
        _ target: String, _ accepted: String? = nil, cookie: String? = nil,
        method: HTTPRequest.Method = .get
    ) throws -> Request {
        var fields: HTTPFields = [:]
        fields[.acceptLanguage] = accepted
        fields[.cookie] = cookie
        return try Request(method: method, target: target, headerFields: fields)
    }

    @Test("is the query's, then the cookie's, then what the browser accepts, then the site's")
    func order() throws {
        for site in [Language.en, .mirrored] {
            let languages = Self.languages(
                OfferedLanguages(site: site, [.en, .accented, .mirrored]))
            func language(
                _ target: String, _ accepted: String? = nil, cookie: String? = nil
            ) throws -> Language {
                let language = languages.language(
                    of: try Self.request(target, accepted, cookie: cookie))
                #expect(
                    try languages.language(
                        of: Self.request(target, accepted, cookie: cookie, method: .head))
                        == language)
                return language
            }
            let cookie = "a=b; __Host-language=ar-XB"
            #expect(try language("/") == site)
            #expect(try language("/", "fr") == site)
            #expect(try language("/", "fr, en-XA;q=0.5") == .accented)
            #expect(try language("/", "en-XA", cookie: cookie) == .mirrored)
            #expect(try language("/?lang=en", "en-XA", cookie: cookie) == .en)
            #expect(try language("/?lang=en-XA") == .accented)
            #expect(try language("/", "en-XA", cookie: "__Host-language=de") == .accented)
            #expect(try language("/", "en-XA", cookie: "language=ar-XB") == .accented)
            #expect(
                try language("/", "en-XA", cookie: "\(cookie); __Host-language=ar-XB") == .accented)
        }
    }

    @Test(
        "is the one that includes what the browser accepts",
        arguments: [
            ("zh-CN", .zhHans), ("zh-TW, pt-PT;q=0.5", .ptBR), ("zh-Hant", .en), ("es-MX", .es),
        ] as [(String, Language)])
    func ranges(accepted: String, language: Language) throws {
        let languages = Self.languages(OfferedLanguages([.en, .es, .ptBR, .zhHans]))
        #expect(languages.language(of: try Self.request("/", accepted)) == language)
    }

    @Test(
        "is asked for in any spelling of the query, and once",
        arguments: [
            ("lang=en-XA", true), ("LANG=en-XA", false), ("lang=EN-xa", true),
            ("x=1&lang=en-XA", true), ("%6Cang=en%2DXA", true), ("l%61ng=%65n-XA&", true),
            ("lang=en-XA&lang=en-XA", false), ("lang=en-XA&lang=ar-XB", false), ("lang=", false),
            ("lang", false), ("lang=de", false), ("lang=+en-XA", false), ("lang=en_XA", false),
            ("lang=en-XA&x=%", false), ("?lang=en-XA", false), ("lang%3Den-XA", false),
        ])
    func spellings(query: String, isFound: Bool) throws {
        let request = try Self.request("/entries?\(query)")
        let expected = isFound ? Language.accented : .en
        #expect(Self.languages(Self.several).language(of: request) == expected)
    }

    @Test("is chosen for pages, and their errors, only")
    func kinds() throws {
        let languages = Self.languages(Self.several)
        for target in ["/", "/@rob", "/api", "/nothing", "/%61bout", "/entries/"] {
            #expect(languages.language(of: try Self.request(target, "en-XA")) == .accented)
        }
        for target in [
            "/api/v1/entries", "/api/nothing", "/%61pi/v1/entries", "/robots.txt", "/@rob/embed",
            "/@rob/feed", "/assets/site.css", "/.well-known/nothing", "/ping", "/sitemap.xml",
        ] {
            let request = try Self.request("\(target)?lang=ar-XB", "en-XA", cookie: nil)
            #expect(languages.language(of: request) == .en, "\(target)")
        }
    }

    @Test("is the account's before all but the query's, if the site has it")
    func accounts() throws {
        let languages = Self.languages(Self.several)
        let request = try Self.request("/", "en-XA")
        #expect(languages.language(of: request, account: "ar-XB") == .mirrored)
        #expect(languages.language(of: request, account: nil) == nil)
        #expect(languages.language(of: request, account: "de") == nil)
        let asked = try Self.request("/?lang=en-XA")
        #expect(languages.language(of: asked, account: "ar-XB") == nil)
        let unknown = try Self.request("/?lang=de")
        #expect(languages.language(of: unknown, account: "ar-XB") == .mirrored)
    }

    @Test("is the site's, whatever is asked for, where there is only one")
    func single() throws {
        let languages = Self.languages(OfferedLanguages(site: .accented, [.accented]))
        let request = try Self.request("/?lang=ar-XB", "en", cookie: "__Host-language=en")
        #expect(languages.language(of: request) == .accented)
        #expect(languages.language(of: request, account: "en") == nil)
        #expect(languages.count == 0)
    }

    @Test("is remembered for a bounded number of short values of Accept-Language")
    func memory() throws {
        let languages = Self.languages(Self.several)
        for number in 0..<3 * PageLanguages.limit {
            let request = try Self.request("/", "x-\(number), en-XA")
            #expect(languages.language(of: request) == .accented)
            #expect(languages.count <= PageLanguages.limit)
        }
        let count = languages.count
        #expect(count > 0)
        let long = "ar-XB" + String(repeating: ", fr", count: PageLanguages.valueLimit / 4)
        for value in [long, long + ",", "en", long] {
            let expected = value == "en" ? Language.en : .mirrored
            #expect(languages.language(of: try Self.request("/", value)) == expected)
        }
        #expect(languages.count <= count + 1)
    }

    @Test("is not in the address that links to other languages return to")
    func returnAddress() throws {
        for (target, address) in [
            ("/", "/"), ("/?lang=en", "/"), ("/entries?lang=en&rating=5", "/entries?rating=5"),
            ("/entries?a=%20&%6Cang=x&b", "/entries?a=%20&b"), ("/?language=x", "/?language=x"),
            ("/?lang=a&lang=b", "/"), ("/entries?x=%", "/entries?x=%"),
        ] {
            #expect(PageAddress.withoutLanguage(try RequestTarget(parsing: target)) == address)
        }
    }
}
