import FaveGames
import Testing

@Suite("An address of the operator's")
struct ExternalAddressTests {
    @Test(
        "leads to the web or to mail",
        arguments: [
            ("https://couch.example/", "couch.example"),
            ("HTTPS://couch.example/a/b?c=d#e", "couch.example/a/b?c=d#e"),
            ("http://couch.example", "couch.example"),
            ("https://b\u{FC}cher.example/", "b\u{FC}cher.example"),
            ("mailto:jane@couch.example", "jane@couch.example"),
        ])
    func good(text: String, spoken: String) {
        #expect(ExternalAddress(text)?.text == spoken)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "https://", "https:/couch.example", "//couch.example", "/about", "couch.example",
            "javascript:alert(1)", "JavaScript://couch.example/%0aalert(1)", "data:text/html,x",
            "ftp://couch.example", "file:///etc/passwd", "https://a b", "https://a\nb",
            "https://a\"b", "https://a<b", "\thttps://a", " https://a", "https://a\u{202E}b",
            "https://a\u{A0}b", "mailto:", "mailto:jane", "mailto:a@b.example?bcc=c@d.example",
            "jane@couch.example", "https://" + String(repeating: "a", count: 1000),
        ])
    func bad(text: String) {
        #expect(ExternalAddress(text) == nil)
    }
}
