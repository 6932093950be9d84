import TestSupport
import Testing

@Suite("A page", .blocking)
struct PagesTests {
    private let world: World

    init() async throws { world = try await World.shared }

    /// Each page with a part of its title and its canonical path.
    static let pages = [
        ("/", "Five games you’d never give up", "/"),
        ("/platforms", "Platforms", "/platforms"),
        ("/platforms?search=play", "Platforms matching “play”", "/platforms?search=play"),
        ("/platforms/ps4--1", "Most loved games on PlayStation 4", "/platforms/ps4--1"),
        ("/platforms/switch", "Most loved games on Nintendo Switch", "/platforms/switch"),
        (
            "/platforms/ps4--1/games/120", "Diablo III on PlayStation 4",
            "/platforms/ps4--1/games/120"
        ),
        ("/games", "Find a game", "/games"),
        ("/games?search=portal", "Games matching “portal”", "/games?search=portal"),
        ("/games?search=zzzz", "Games matching “zzzz”", "/games?search=zzzz"),
        ("/games/120", "Diablo III", "/games/120"),
        ("/users", "People", "/users"),
        ("/users?search=rob", "People matching “rob”", "/users?search=rob"),
        ("/@rob", "rob’s favourite games", "/@rob"),
        ("/@newbie", "newbie’s favourite games", "/@newbie"),
    ]

    @Test("has a title, a description, a canonical link and one heading", arguments: pages)
    func head(path: String, title: String, canonical: String) throws {
        let response = try world.get(path)
        #expect(response.status == 200)
        #expect(response["content-type"] == "text/html; charset=utf-8")
        let html = response.text
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        #expect(html.contains("<title>\(title) · Fave Games</title>"))
        #expect(
            html.contains("<link rel=\"canonical\" href=\"https://fave.example\(canonical)\">"))
        let description = html.firstMatch(of: /<meta name="description" content="([^"]+)">/)
        #expect((description?.1.count ?? 0) > 10)
        #expect(html.components(separatedBy: "<h1").count == 2)
        #expect(html.components(separatedBy: "<main").count == 2)
        #expect(html.contains("<meta name=\"viewport\""))
    }

    @Test("may load nothing but our stylesheet, script and icon, and covers", arguments: pages)
    func security(path: String, _: String, _: String) throws {
        let response = try world.get(path)
        #expect(
            response["content-security-policy"] == """
                default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                img-src 'self' https://images.igdb.com; font-src 'self'; manifest-src 'self'; \
                form-action 'self'; \
                base-uri 'none'; frame-ancestors 'none'
                """)
        #expect(response["x-content-type-options"] == "nosniff")
        #expect(response["referrer-policy"] == "strict-origin-when-cross-origin")
        let html = response.text.lowercased()
        let scripts = html.matches(of: /<script([^>]*)>([^<]*)(<[^<]*)/).map {
            [String($0.1), String($0.2), String($0.3)]
        }
        #expect(scripts.count == html.components(separatedBy: "<script").count - 1)
        let ours = scripts.filter { $0[0] != " type=\"application/ld+json\"" }
        #expect(ours.count == 1)
        #expect(
            ours[0][0].wholeMatch(of: /\ type="module" src="\/assets\/site\.js\?v=[0-9a-f]{12}"/)
                != nil)
        #expect(ours[0][1] == "")
        for script in scripts { #expect(script[2].split(separator: "\n") == ["</script>"]) }
        #expect(!html.contains("style="))
        #expect(html.firstMatch(of: /\son[a-z]+=/) == nil)
        #expect(!html.contains("{{"))
        #expect(html.firstMatch(of: /\bnil\b|optional\(/) == nil)
    }

    @Test("closes the elements that it opens", arguments: pages)
    func wellFormed(path: String, _: String, _: String) throws {
        let html = try world.get(path).text
        let void = ["meta", "link", "input", "img", "br", "path", "rect", "circle", "!doctype"]
        var open: [Substring] = []
        for tag in html.matches(of: /<(\/?)([a-zA-Z!][a-zA-Z0-9]*)[^>]*?(\/?)>/) {
            let name = tag.2
            guard !void.contains(String(name)), tag.3.isEmpty else { continue }
            if tag.1.isEmpty {
                open.append(name)
            } else {
                #expect(open.popLast() == name, "\(path): </\(name)>")
            }
        }
        #expect(open == [], "\(path)")
    }

    @Test("links only to pages that are there", arguments: pages)
    func links(path: String, _: String, _: String) throws {
        let html = try world.get(path).text
        var seen: Set<String> = []
        for match in html.matches(of: /(?:href|action)="(\/[^"]*)"/) {
            let link = String(match.1).replacing("&amp;", with: "&")
            let target = link.split(separator: "#").first.map(String.init) ?? link
            // A chosen language leads back to the page.
            guard !target.hasPrefix("/language?"), seen.insert(target).inserted, seen.count <= 25
            else { continue }
            let status = try world.get(target).status
            // Search forms lead to pages that want to be searched; the API's counterpart too.
            #expect(status == 200, "\(path) → \(target)")
        }
        #expect(seen.count > 4)
    }

    @Test("of results is not for search engines")
    func noindex() throws {
        let robots = "<meta name=\"robots\" content=\"noindex\">"
        for path in ["/games?search=a", "/users?search=rob", "/platforms?search=x"] {
            #expect(try world.get(path).text.contains(robots))
        }
        for path in ["/", "/platforms", "/users", "/@rob", "/games/120", "/platforms/ps4--1"] {
            #expect(try !world.get(path).text.contains(robots))
        }
    }

    @Test("is not sent to a browser that has it")
    func caching() throws {
        for (path, _, _) in Self.pages {
            let first = try world.get(path)
            #expect(first["cache-control"] == "no-cache")
            let tag = try #require(first["etag"])
            let again = try world.get(path, [("If-None-Match", tag)])
            #expect(again.status == 304, "\(path)")
            #expect(again["etag"] == tag)
            #expect(again.bytes.isEmpty)
            #expect(try world.get(path, [("If-None-Match", "\"old\"")]).status == 200)
        }
    }

    @Test("of a list says who, and what, to those who share it")
    func sharing() throws {
        let html = try world.get("/@rob").text
        #expect(html.contains("<meta property=\"og:type\" content=\"profile\">"))
        #expect(html.contains("<meta property=\"og:title\" content=\"rob’s favourite games\">"))
        #expect(
            html.contains(
                """
                <meta property="og:description" content="1. Portal, 2. Diablo III, \
                3. The Last Guardian">
                """))
        #expect(html.contains("href=\"/@rob/share\">Share</a>"))
        #expect(html.contains("Trico.\n\nGood boy."), "with its line breaks")
    }

    @Test("of a ranking leads through all its pages")
    func paging() throws {
        let first = try world.get("/platforms/ps3").text
        #expect(first.components(separatedBy: "<li").count > 50)
        #expect(!first.contains("First page"))
        let next = try #require(
            first.firstMatch(of: /href="(\/platforms\/ps3\?cursor=[A-Za-z0-9_-]+)" rel="next"/))
        let second = try world.get(String(next.1)).text
        #expect(second.contains("<a class=\"button quiet\" href=\"/platforms/ps3\">First page</a>"))
        #expect(!second.contains("rel=\"next\""))
        #expect(second.contains("content=\"noindex\""))
        #expect(second.contains("href=\"https://fave.example/platforms/ps3\""))
    }

    @Test("of those who include a game leads through all its pages")
    func inclusionPages() throws {
        for path in ["/platforms/xbox360/games/73", "/games/73"] {
            let first = try world.get(path).text
            #expect(first.components(separatedBy: "card voice").count == 31)
            let next = try #require(first.firstMatch(of: /href="([^"]+)" rel="next"/))
            let second = try world.get(String(next.1)).text
            #expect(second.components(separatedBy: "card voice").count == 6)
            #expect(second.contains("First page"))
        }
    }

    @Test("finds people by the @username that they see")
    func peopleSearch() throws {
        let html = try world.get("/users?search=%40rob").text
        #expect(html.contains("href=\"/@rob\""))
        #expect(html.contains("value=\"@rob\""))
        #expect(try world.get("/users?search=%40").status == 200)
    }
}
