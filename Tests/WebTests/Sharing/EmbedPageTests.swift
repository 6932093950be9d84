import TestSupport
import Testing

@Suite("A list for other sites", .blocking)
struct EmbedPageTests {
    private let lists: SharedLists

    init() async throws { lists = try await SharedLists.shared }

    private static let policy = """
        default-src 'none'; style-src 'self'; img-src 'self' https://images.igdb.com; \
        form-action 'none'; base-uri 'none'; frame-ancestors *
        """

    @Test("may stand in a frame, and does nothing but show", arguments: ["open", "quiet", "bare"])
    func page(name: String) throws {
        let response = try lists.get("/@\(name)/embed")
        #expect(response.status == 200)
        #expect(response["content-type"] == "text/html; charset=utf-8")
        #expect(response["content-security-policy"] == Self.policy)
        #expect(response["cross-origin-resource-policy"] == "cross-origin")
        #expect(["Accept-Encoding", nil].contains(response["vary"]))
        let html = response.text
        #expect(html.contains("<meta name=\"robots\" content=\"noindex\">"))
        #expect(
            html.contains("<link rel=\"canonical\" href=\"https://fave.example/@\(name)\">"))
        for element in ["<script", "<form", "<nav", "<input", "<button", " style=", "{{"] {
            #expect(!html.contains(element), "\(element)")
        }
        let links = html.matches(of: /<a [^>]*>/).map { String($0.0) }
        #expect(links.count >= 2)
        for link in links { #expect(link.contains("target=\"_blank\" rel=\"noopener\"")) }
        for match in html.matches(of: /href="(\/[^"]*)"/) {
            let path = String(match.1).replacing("&amp;", with: "&")
            #expect(try lists.get(path).status == 200, "\(path)")
        }
    }

    @Test("shows what people wrote as text")
    func evil() throws {
        let html = try lists.get("/@evil/embed").text
        #expect(html.contains("&lt;/script&gt;&lt;b&gt;&quot;&amp;&#39;"))
        #expect(html.contains("&lt;!--&lt;script&gt;"))
        #expect(!html.contains("<b>"))
        #expect(!html.contains("<script"))
        #expect(!html.contains("<!--"))
        #expect(html.contains("class=\"why\" dir=\"auto\""))
    }

    @Test("is the same for whoever is signed in, and for its owner")
    func viewers() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let anonymous = try server.send("GET", "/@rob/embed")
            let owner = try rob.get("/@rob/embed")
            #expect(owner.bytes == anonymous.bytes)
            #expect(owner["etag"] == anonymous["etag"])
            #expect(owner["cache-control"] == "no-cache")
            #expect(owner.setCookies.isEmpty)
            #expect(try rob.get("/@rob").text.contains("Sign out"), "while the page knows them")
        }
    }

    @Test("is not there when the list is not", arguments: SharedLists.hidden + ["nobody", "x"])
    func missing(name: String) throws {
        let response = try lists.get("/@\(name)/embed")
        #expect(response.status == 404)
        #expect(response["content-type"] == "text/html; charset=utf-8")
        #expect(response["content-security-policy"] == Self.policy)
        #expect(response["cache-control"] == "no-store")
        #expect(response.text.contains("class=\"message\""))
        #expect(!response.text.contains("Sign in"))
        #expect(!response.text.contains("rel=\"canonical\""))
        #expect(response.text.contains("href=\"/\""))
    }

    @Test("leads to the address that it has")
    func addresses() throws {
        let capitals = try lists.get("/@Open/embed")
        #expect(capitals.status == 301)
        #expect(capitals["location"] == "/@open/embed")
        let former = try lists.get("/@before/embed")
        #expect(former.status == 307)
        #expect(former["location"] == "/@after/embed")
        #expect(former["content-security-policy"] == Self.policy)
    }

    @Test("cannot be written to")
    func methods() throws {
        let response = try lists.server.send("POST", "/@open/embed", json: "{}")
        #expect(response.status == 405)
        #expect(response["allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("is not sent to a browser that has it")
    func caching() throws {
        let tag = try #require(lists.get("/@open/embed")["etag"])
        let again = try lists.get("/@open/embed", [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again["content-security-policy"] == Self.policy)
    }

    @Test("comes with the code that the list's page shows")
    func code() throws {
        for name in ["open", "quiet", "evil"] {
            let html = try lists.get("/@\(name)").text
            let area = try #require(
                html.firstMatch(of: /<textarea id="embed-code"[^>]*readonly[^>]*>([^<]*)</))
            let code = String(area.1)
            #expect(
                code.hasPrefix(
                    "&lt;iframe src=&quot;https://fave.example/@\(name)/embed&quot; width="))
            #expect(code.hasSuffix("&lt;/iframe&gt;"))
            #expect(html.contains("<label for=\"embed-code\">"))
        }
    }

    @Test("is not offered by a private list, nor is its feed")
    func privateList() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            #expect(try rob.get("/@rob").text.contains("embed-code"))
            try server.execute("UPDATE users SET visibility = 'private'")
            let html = try rob.get("/@rob").text
            for part in ["embed-code", "oembed", "atom+xml", "ld+json"] {
                #expect(!html.contains(part))
            }
        }
    }
}
