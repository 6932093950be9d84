import Outbox
import Testing

@Suite("The address of a webhook")
struct WebhookAddressTests {
    @Test(
        "is read with its host",
        arguments: [
            ("https://hooks.example", "hooks.example"),
            ("https://Hooks.Example:8443/a?b=c", "hooks.example"),
            ("https://hooks.example?a", "hooks.example"), ("http://a.example:80/", "a.example"),
            ("https://192.0.2.1/x", "192.0.2.1"), ("https://0.0.0.0/", "0.0.0.0"),
            ("https://0x.example/", "0x.example"), ("https://hooks.0xg/", "hooks.0xg"),
            ("https://[2001:DB8::1]:443/", "2001:db8::1"),
            ("https://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"),
            ("https://discord.com/api/webhooks/1/a-B_c", "discord.com"),
            ("https://a.example/@b%20c;d", "a.example"),
        ])
    func wellFormed(text: String, host: String) throws {
        let address = try #require(WebhookAddress(text))
        #expect(address.description == text)
        #expect(address.host == host)
        #expect(address.isEncrypted == text.hasPrefix("https"))
    }

    @Test(
        "is refused if it is malformed, or could be understood in several ways",
        arguments: [
            "", "hooks.example", "//hooks.example", "https:hooks.example", "https://", "https:///x",
            "ftp://hooks.example", "HTTPS://hooks.example", "https://user@hooks.example/",
            "https://user:password@hooks.example/", "https://hooks.example@127.0.0.1/",
            "https://hooks.example#@127.0.0.1/", "https://hooks.example\\@127.0.0.1/",
            "https://hooks.example/ x", " https://hooks.example", "https://hooks.example\n",
            "https://hooks.example/\u{0}", "https://hööks.example/", "https://hooks%2eexample/",
            "https://-a.example", "https://a..example", "https://a.example.", "https://a_b.example",
            "https://hooks.example:", "https://hooks.example:0", "https://hooks.example:022",
            "https://hooks.example:65536", "https://hooks.example:443:443",
            "https://127.1/", "https://0x7f.1", "https://0x7F000001/", "https://2130706433/",
            "https://0177.0.0.1/", "https://127.0.0.01/", "https://127.0.1/", "https://1.2.3.256/",
            "https://1.2.3.4.5/", "https://1.2.3.0x/", "https://hooks.example.1/", "https://256/",
            "https://[1.2.3.4]/", "https://hooks.0xA/", "https://hooks.example:+443",
            "https://[::1", "https://::1/", "https://[::1]x/",
            "https://[fe80::1%25eth0]/", "https://[v1.a]/", "https://hooks.example/<x>",
            "https://a.example/" + String(repeating: "x", count: 983),
        ])
    func malformed(text: String) {
        #expect(WebhookAddress(text) == nil)
        #expect(WebhookAddress(text, anyPort: true) == nil)
    }

    @Test("has a port where other services don't listen, unless the operator has chosen it")
    func ports() {
        for port in [1, 22, 25, 53, 1023] {
            #expect(WebhookAddress("https://hooks.example:\(port)/") == nil)
            #expect(WebhookAddress("https://hooks.example:\(port)/", anyPort: true) != nil)
        }
        for port in [80, 443, 1024, 65_535] {
            #expect(WebhookAddress("https://hooks.example:\(port)/") != nil)
        }
    }
}
