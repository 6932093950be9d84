import TestSupport
import Testing

@Suite("oEmbed", .blocking)
struct OEmbedTests {
    private let lists: SharedLists

    init() async throws { lists = try await SharedLists.shared }

    private func ask(_ url: String, _ more: String = "") throws -> RawResponse {
        let escaped = url.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "%0\(hex)" : "%\(hex)"
        }.joined()
        return try lists.get("/oembed?url=\(escaped)\(more)")
    }

    @Test("describes a list")
    func list() throws {
        let response = try ask("https://fave.example/@open")
        #expect(response.status == 200)
        #expect(response["content-type"] == "application/json")
        let body = try response.object
        #expect(
            body.keys.sorted() == [
                "author_name", "author_url", "cache_age", "height", "html", "provider_name",
                "provider_url", "title", "type", "version", "width",
            ])
        #expect(body.string("type") == "rich")
        #expect(body.string("version") == "1.0")
        #expect(body.string("title") == "open’s favourite games")
        #expect(body.string("author_name") == "open")
        #expect(body.string("author_url") == "https://fave.example/@open")
        #expect(body.string("provider_name") == "Fave Games")
        #expect(body.string("provider_url") == "https://fave.example/")
        #expect(body.int("cache_age") == 3600)
        #expect(body.int("width") == 480)
        #expect(body.int("height") == 244)
        #expect(
            body.string("html") == """
                <iframe src="https://fave.example/@open/embed" width="480" height="244" \
                title="open’s favourite games" loading="lazy" frameborder="0"></iframe>
                """)
    }

    @Test("lets no name out of the frame's title")
    func evil() throws {
        let body = try ask("https://fave.example/@evil").object
        #expect(body.string("author_name") == SharedLists.evilName)
        let html = try #require(body.string("html"))
        #expect(html.unicodeScalars.filter { $0 == "<" }.count == 2)
        #expect(html.unicodeScalars.filter { $0 == "\"" }.count == 12)
        #expect(
            html.contains(
                "title=\"&lt;/script&gt;&lt;b&gt;&quot;&amp;&#39;"))
    }

    @Test(
        "keeps to the size that it is given",
        arguments: [
            ("&maxwidth=300", 300, 244), ("&maxwidth=9999", 480, 244), ("&maxheight=100", 480, 100),
            ("&maxwidth=1&maxheight=1", 1, 1), ("&maxheight=10000", 480, 244),
        ])
    func sizes(query: String, width: Int, height: Int) throws {
        let body = try ask("https://fave.example/@open", query).object
        #expect(body.int("width") == width)
        #expect(body.int("height") == height)
        #expect(
            body.string("html")?.contains("width=\"\(width)\" height=\"\(height)\"") == true)
    }

    @Test(
        "takes the address as someone copied it",
        arguments: [
            "https://fave.example/@open?utm_source=x", "https://fave.example/@open#1",
            "https://fave.example/@OPEN", "HTTPS://FAVE.example/@open",
            "https://fave.example/%40open", "https://fave.example/@open?a#b?c",
            "https://fave.example/@open/", "https://fave.example/@Open/?a=é#b",
            "http://fave.example/@open", "http://FAVE.example:80/@open/",
            "https://fave.example:443/@open",
        ])
    func forms(url: String) throws {
        #expect(try ask(url).object.string("author_url") == "https://fave.example/@open")
    }

    @Test("knows unlisted lists by their link, and those whose owners had another name")
    func others() throws {
        #expect(
            try ask("https://fave.example/@quiet").object.string("author_name") == "quiet")
        let renamed = try ask("https://fave.example/@before").object
        #expect(renamed.string("author_url") == "https://fave.example/@after")
        #expect(renamed.string("html")?.contains("/@after/embed\"") == true)
        #expect(try ask("https://fave.example/@bare").object.int("height") == 244)
    }

    @Test(
        "knows nothing of what is not there for all to see, nor of other sites",
        arguments: [
            "https://fave.example/@nobody", "https://fave.example/@hermit",
            "https://fave.example/@banned", "https://fave.example/", "https://fave.example",
            "https://fave.example/@open//", "https://fave.example/@open/embed",
            "https://fave.example/platforms/ps4--1", "https://evil.example/@open",
            "https://fave.example.evil.example/@open", "https://fave.example@evil.example/@open",
            "ftp://fave.example/@open", "http://fave.example:443/@open",
            "https://fave.example:8080/@open", "//fave.example/@open", "/@open", "@open", "",
            "https://fave.example/@",
            "https://fave.example/@open%00", "https://fave.example/@%zz",
            "https://fave.example/..//@open", "https://fave.example/\u{202E}@open",
            "https://fave.example/open", "javascript:https://fave.example/@open",
        ])
    func unknown(url: String) throws {
        try expectProblem(ask(url), 404)
    }

    @Test(
        "refuses what it cannot do",
        arguments: [
            ("?format=json", 400), ("?url=https://fave.example/@open&maxwidth=0", 400),
            ("?url=https://fave.example/@open&maxwidth=-1", 400),
            ("?url=https://fave.example/@open&maxwidth=10001", 400),
            ("?url=https://fave.example/@open&maxheight=x", 400),
            ("?url=https://fave.example/@open&maxheight=", 400),
            ("?url=https://fave.example/@open&format=xml", 501),
            ("?url=https://fave.example/@open&format=yaml", 501),
            ("?url=https://fave.example/@open&format=", 501), ("?format=JSON", 501),
            ("?url=%FF", 400), ("?url=%00", 400),
        ])
    func refusals(query: String, status: Int) throws {
        try expectProblem(lists.get("/oembed" + query), status)
    }

    @Test("is found by the link that a list's page has")
    func discovery() throws {
        for name in ["open", "quiet", "evil", "bare"] {
            let html = try lists.get("/@\(name)").text
            let link = try #require(
                html.firstMatch(
                    of: /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/))
            let address = String(link.1).replacing("&amp;", with: "&")
            #expect(address.hasPrefix("https://fave.example/oembed?url="))
            let response = try lists.get(String(address.dropFirst("https://fave.example".count)))
            #expect(try response.object.string("author_url") == "https://fave.example/@\(name)")
        }
    }

    @Test("is not sent again to someone who has it")
    func conditional() throws {
        let path = "/oembed?url=https://fave.example/@open"
        let tag = try #require(lists.get(path)["etag"])
        #expect(try lists.get(path, [("If-None-Match", tag)]).status == 304)
    }
}
