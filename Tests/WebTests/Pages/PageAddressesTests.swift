import TestSupport
import Testing

@Suite("The address of a page", .blocking)
struct PageAddressesTests {
    private let world: World

    init() async throws { world = try await World.shared }

    @Test(
        "leads to the one that the page has",
        arguments: [
            ("/platforms/48", "/platforms/ps4--1"),
            ("/platforms/48/games/120", "/platforms/ps4--1/games/120"),
            ("/@Rob", "/@rob"), ("/@ROB", "/@rob"), ("/%40rob", "/@rob"), ("/@r%6Fb", "/@rob"),
            ("/@rob%20", "/@rob"), ("/@@rob", "/@rob"),
            ("/platforms/4%38", "/platforms/ps4--1"), ("/@rob/", "/@rob"),
            ("/platforms/", "/platforms"), ("/games/71/", "/games/71"),
        ])
    func redirects(path: String, target: String) throws {
        let response = try world.get(path)
        #expect(response.status == 301)
        #expect(response["location"] == target)
        #expect(try world.get(target).status == 200)
    }

    @Test(
        "may be escaped where it need not be",
        arguments: ["/platforms/ps4%2d%2D1", "/games/%37%31"])
    func escaped(path: String) throws {
        #expect(try world.get(path).status == 200)
    }

    @Test(
        "that is none is a page of its own",
        arguments: [
            "/nothing", "/@nobody", "/@", "/@a", "/@rob//", "/@ro%20b", "/@r%C3%B6b", "/@rob%40x",
            "/platforms//", "/platforms/none", "/platforms/PS4", "/platforms/999999",
            "/platforms/ps4--1/games", "/platforms/ps4--1/games/71", "/platforms/ps4--1/games/1",
            "/games/1", "/games/0", "/games/x", "/games/-1", "/games/2147483648", "//",
            "/users/rob",
            "/platforms/%E3%82%B2", "/assets/", "/assets/none.css", "/assets/..%20", "/PLATFORMS",
            "/assets/site.css/", "/%7B%7Bpage%7D%7D", "/%3Cscript%3E", "/index.php", "/.env",
        ])
    func unknown(path: String) throws {
        let response = try world.get(path)
        #expect(response.status == 404)
        expectErrorPage(response, "Page not found")
    }

    @Test(
        "with a query that cannot be is a page of its own",
        arguments: [
            "/platforms/ps4--1?cursor=x", "/platforms/ps4--1/games/120?cursor=",
            "/games/71?cursor=x",
            "/games?search=%", "/games?search=%FF", "/users?search=%00",
            "/games?search=\(String(repeating: "x", count: 101))",
            "/users?search=\(String(repeating: "x", count: 101))",
            "/platforms?search=\(String(repeating: "x", count: 101))", "/?%",
        ])
    func badQueries(path: String) throws {
        let response = try world.get(path)
        #expect(response.status == 400)
        expectErrorPage(response, "That didn’t work")
    }

    @Test(
        "that no server should take is refused",
        arguments: [
            "/%00", "/a%2Fb", "/a%5Cb", "/%", "/%zz", "/../etc/passwd", "/assets/%2E%2E/x", "/%FF",
        ])
    func refused(path: String) throws {
        #expect(try world.get(path).status == 400)
    }

    @Test("of an error has no canonical one, and is not for search engines")
    func errors() throws {
        let html = try world.get("/nothing").text
        #expect(!html.contains("rel=\"canonical\""))
        #expect(html.contains("<meta name=\"robots\" content=\"noindex\">"))
        #expect(html.contains("Check the link, or search for a game."))
    }

    private func expectErrorPage(
        _ response: RawResponse, _ heading: String, at location: SourceLocation = #_sourceLocation
    ) {
        let html = response.text
        #expect(response["content-type"] == "text/html; charset=utf-8", sourceLocation: location)
        #expect(response["cache-control"] == "no-store", sourceLocation: location)
        #expect(response["content-security-policy"] != nil, sourceLocation: location)
        #expect(html.contains("<h1>\(heading)</h1>"), sourceLocation: location)
        #expect(html.contains("<title>\(heading) · Fave Games</title>"), sourceLocation: location)
        #expect(!html.lowercased().contains("<script>"), sourceLocation: location)
    }

    @Test("of an asset lasts for ever with its version, and not without")
    func assets() throws {
        let html = try world.get("/").text
        let link = try #require(html.firstMatch(of: /<link rel="stylesheet" href="([^"]+)">/))
        let versioned = try world.get(String(link.1))
        #expect(versioned.status == 200)
        #expect(versioned["content-type"]?.hasPrefix("text/css") == true)
        #expect(versioned["cache-control"] == "public, max-age=31536000, immutable")
        #expect(versioned["x-content-type-options"] == "nosniff")
        let plain = try world.get("/assets/site.css")
        #expect(plain["cache-control"] == "no-cache")
        #expect(plain.bytes == versioned.bytes)
        #expect(try world.get("/assets/site.css?v=old")["cache-control"] == "no-cache")
        let tag = try #require(plain["etag"])
        #expect(try world.get("/assets/site.css", [("If-None-Match", tag)]).status == 304)
        let date = try #require(plain["last-modified"])
        for path in ["/assets/site.css", "/api/v1/openapi.json"] {
            for (date, status) in [(date, 304), ("Thu, 01 Jan 2015 00:00:00 GMT", 200)] {
                let response = try world.get(path, [("If-Modified-Since", date)])
                #expect(response.status == status, "\(path)")
            }
        }
        #expect(
            try world.get("/assets/favicon.svg")["content-type"]?.hasPrefix("image/svg") == true)
    }
}
