import Testing

@testable import Endpoints

@Suite("A site's origin")
struct WebOriginTests {
    @Test(
        "is written as browsers write it",
        arguments: [
            ("https://fave.example", "https://fave.example"),
            ("HTTPS://Fave.Example", "https://fave.example"),
            ("https://fave.example:443", "https://fave.example"),
            ("https://fave.example:", "https://fave.example"),
            ("https://fave.example:80", "https://fave.example:80"),
            ("http://fave.example:80", "http://fave.example"),
            ("http://LOCALHOST:8080", "http://localhost:8080"),
            ("https://Bücher.example:443", "https://xn--bcher-kva.example"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://例え.テスト:8443", "https://xn--r8jz45g.xn--zckzah:8443"),
            ("http://192.0.2.1:8080", "http://192.0.2.1:8080"),
            ("http://[0:0:0:0:0:0:0:1]:80", "http://[::1]"),
            ("http://[2001:DB8::1]:8080", "http://[2001:db8::1]:8080"),
            ("http://fave_games:8080", "http://fave_games:8080"),
        ])
    func normal(text: String, form: String) throws {
        let origin = try #require(WebOrigin(text))
        #expect(origin.description == form)
        #expect(WebOrigin(form) == origin)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "fave.example", "https://", "https:///", "ftp://fave.example", "https:fave.example",
            "https://fave.example/", "https://fave.example/x", "https://fave.example?x",
            "https://fave.example#x", "https://rob@fave.example", "https://fave.example:x",
            "https://fave.example:65536", "https://fave.example:0443", "https://fave.example.",
            "https://.example", "https://fave..example", "https://-a.example", "https://a b",
            "https://fave%2Eexample", "https://fa\u{200B}ve.example", "https://[::1", "https://::1",
            "https://[::ffff:192.0.2.1]", "https://[x]", "http://127.1", "http://0x7f.0.0.1",
            "http://2130706433", "http://127.0.0.01", "https://a\\b", "https://fave.example\n",
            "null",
            "https://bü/games", "https://bü?x", "https://rob@bü.example", "https://bü cher.example",
            "https://" + String(repeating: "a", count: 64) + ".example",
        ])
    func malformed(text: String) {
        #expect(WebOrigin(text) == nil)
    }
}
