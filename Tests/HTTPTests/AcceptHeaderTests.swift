import Testing

@testable import HTTP

@Suite("An Accept field")
struct AcceptHeaderTests {
    @Test(
        "prefers by weight, then by the order of the offers",
        arguments: [
            (nil, .json), ("*/*", .json), ("text/html", .html), ("application/*", .json),
            ("text/*", .html), ("text/html, application/json", .json),
            ("text/html, application/json;q=0.9", .html),
            ("text/html;q=0.5, */*;q=0.1", .html), ("text/html;q=0.5, */*;q=0.8", .json),
            ("application/json;q=0, */*", .html), ("image/png", nil), ("text/html;q=0", nil),
            ("TEXT/HTML", .html), ("text/html;charset=UTF-8", .html), ("text/html;level=1", nil),
            ("text/html;q=0.001", .html), (" , text/html ,", .html),
            ("text/html;q=0.2;ext=1, application/json;q=0.1", .html),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", .html
            ),
        ] as [(String?, MediaType?)])
    func preference(value: String?, expected: MediaType?) {
        #expect(AcceptHeader(value).preferred(among: [.json, .html]) == expected)
    }

    @Test(
        "that is malformed welcomes everything",
        arguments: [
            "", "text", "text/html;q=2", "text/html;q=1.001", "text/html;q=0.1234",
            "text/html;q=-1", "text/html;q=", "*/html", "text/html text/plain", "text/html;q=a",
        ])
    func malformed(value: String) {
        #expect(AcceptHeader(value).preferred(among: [.json, .html]) == .json)
    }

    @Test("weighs as in RFC 9110's example")
    func example() {
        let accept = AcceptHeader(
            "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, "
                + "text/plain;format=fixed;q=0.4, */*;q=0.5")
        let plain = MediaType("text", "plain")
        func formatted(_ format: String) -> MediaType {
            MediaType("text", "plain", parameters: [.init(name: "format", value: format)])
        }
        #expect(accept.weight(of: formatted("flowed")) == 1000)
        #expect(accept.weight(of: plain) == 700)
        #expect(accept.weight(of: .html) == 300)
        #expect(accept.weight(of: .png) == 500)
        #expect(accept.weight(of: formatted("fixed")) == 400)
    }
}
