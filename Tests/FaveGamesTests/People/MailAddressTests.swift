import FaveGames
import Testing

@Suite("An email address")
struct MailAddressTests {
    @Test(
        "is read if it is of the usual kind",
        arguments: [
            "jane@example.com", "j@e.co", "jane.doe+games@mail.example.co.uk",
            "!#$%&'*+-/=?^_`{|}~@example.com", "jane@localhost", "1@2.example",
            "jane@xn--bcher-kva.ch",
            "jane@a-b.example", "-@example.com", "a.b.c@1a.2b.c3",
            String(repeating: "a", count: 64) + "@example.com",
        ])
    func wellFormed(text: String) throws {
        #expect(MailAddress(text)?.description == text)
    }

    @Test(
        "is refused if it is malformed, or of a kind that is left out",
        arguments: [
            "", "@", "jane", "jane@", "@example.com", "jane@example", "jane@@example.com",
            "jane@doe@example.com", ".jane@example.com", "jane.@example.com",
            "ja..ne@example.com", "jane@.example.com", "jane@example.com.", "jane@example..com",
            "jane@-a.example", "jane@a-.example", "jane@a_b.example", "jane@127.0.0.1",
            "jane@[127.0.0.1]", "jane@example.123", "\"jane\"@example.com", "\"a b\"@example.com",
            "jane(doe)@example.com", "ja ne@example.com", "<jane@example.com>",
            "Jane <jane@example.com>",
            "jane@example.com,john@example.com", "jane@example.com;john@example.com",
            "jane:doe@example.com", "jane\\@example.com", "jäne@example.com", "jane@exämple.com",
            "jane@example。com", "ｊane@example.com", "jane@example.com\u{301}",
            "jane@example.com\r\nBcc: john@example.com", "jane\r\n@example.com",
            "jane\0@example.com", "jane@example.com\0", "jane\t@example.com",
            "jane\u{7F}@example.com",
            "jane@exa\u{200B}mple.com", "\u{212A}@example.com", "jane@\u{212A}elvin.com",
            "mailto:jane@example.com", "jane%00@", "jane@local host", "jane@LOCALHOST.",
        ])
    func malformed(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test(
        "is found in what is typed or copied, without what is around it",
        arguments: [
            " jane@example.com", "jane@example.com ", "jane@example.com\r\n",
            "\u{200B}jane@example.com\u{FEFF}", "\u{A0}jane@example.com\u{2069}",
        ])
    func around(text: String) {
        #expect(MailAddress(text)?.description == "jane@example.com")
    }

    @Test("has bounded parts")
    func limits() {
        let label = String(repeating: "a", count: 63)
        #expect(MailAddress(String(repeating: "a", count: 65) + "@example.com") == nil)
        #expect(MailAddress("a@\(label).com") != nil)
        #expect(MailAddress("a@\(label)a.com") == nil)
        let domain = "\(label).\(label).\(label)."
        let longest = "a@" + domain + String(repeating: "b", count: 254 - 2 - domain.utf8.count)
        #expect(longest.utf8.count == 254)
        #expect(MailAddress(longest) != nil)
        #expect(MailAddress("a" + longest) == nil)
    }

    @Test("keeps the case of its local part only, and is compared without any")
    func letterCase() throws {
        let address = try #require(MailAddress("Jane.DOE@Example.COM"))
        #expect(address.description == "Jane.DOE@example.com")
        #expect(address.canonical == "jane.doe@example.com")
        #expect(MailAddress("jane@LocalHost")?.domain == "localhost")
        #expect(address.canonical == MailAddress("jane.doe@example.com")?.canonical)
    }
}
