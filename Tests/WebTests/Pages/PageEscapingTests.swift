import TestSupport
import Testing

@Suite("What people write", .blocking)
struct PageEscapingTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private static let name = "&lt;b title=&quot;x&quot;&gt;Ada &amp; &#39;Co&#39;&lt;/b&gt;"
    private static let comment = """
        &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;\n&amp; &#39;twice&#39; &lt;img src=x&gt;
        """

    @Test(
        "stands on a page as text, wherever it stands",
        arguments: [
            ("/@ada", true), ("/platforms/ps4--1", true), ("/platforms/ps4--1/games/120", true),
            ("/games/120", true), ("/users?search=ada", false),
        ])
    func escaped(path: String, hasComment: Bool) throws {
        let html = try world.get(path).text
        #expect(html.contains(Self.name))
        #expect(html.contains(Self.comment) == hasComment)
        #expect(!html.contains("<b title"))
        #expect(!html.contains("<script>"))
        #expect(!html.contains("<img src=x"))
        // Code to copy is text that is escaped already.
        let codes = html.components(separatedBy: "<textarea id=\"embed-code\"")
        #expect(codes.count == (path == "/@ada" ? 2 : 1))
        let rest = codes[0] + codes.dropFirst().joined().drop { $0 != "<" }
        #expect(!rest.contains("&amp;lt;"), "once, not twice")
    }

    @Test("stands in the head as text, too")
    func head() throws {
        let html = try world.get("/@ada").text
        #expect(html.contains("<title>\(Self.name)’s favourite games · Fave Games</title>"))
        #expect(
            html.contains(
                "<meta property=\"og:title\" content=\"\(Self.name)’s favourite games\">"))
    }

    @Test("comes back from a search as text", arguments: ["/games", "/users", "/platforms"])
    func searches(path: String) throws {
        let html = try world.get(
            path + "?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27%26"
        ).text
        #expect(
            html.contains("value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;\""))
        #expect(!html.contains("<script>"))
        #expect(html.contains("?search=%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%27%26\""))
    }

    @Test("comes back from a search as text, with a mark behind a quote")
    func marks() throws {
        let html = try world.get("/games?search=%22%CC%81%3E%CC%81%3Cb%CC%81%3E").text
        #expect(html.contains("value=\"&quot;\u{301}&gt;\u{301}&lt;b\u{301}&gt;\""))
    }
}
