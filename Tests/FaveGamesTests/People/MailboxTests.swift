import FaveGames
import Testing

@Suite("A mailbox")
struct MailboxTests {
    @Test("is an address, with or without a name")
    func parsing() throws {
        let plain = try #require(Mailbox("games@example.com"))
        #expect(plain.name == nil)
        #expect(plain.address.description == "games@example.com")
        let named = try #require(Mailbox("Fave Games <games@Example.com>"))
        #expect(named.name?.text == "Fave Games")
        #expect(named.address.description == "games@example.com")
        #expect(named.description == "Fave Games <games@example.com>")
        #expect(Mailbox("Fávé  🎮<games@example.com>")?.name?.text == "Fávé 🎮")
        #expect(Mailbox("O'Neil, Jr. (he) <games@example.com>")?.name?.text == "O'Neil, Jr. (he)")
    }

    @Test("reads what it writes", arguments: ["a@b.example", "Jane <a@b.example>"])
    func roundTrip(text: String) {
        #expect(Mailbox(text)?.description == text)
    }

    @Test(
        "is refused if it is malformed",
        arguments: [
            "", "Fave Games", "<games@example.com>", " <games@example.com>", "Fave <games>",
            "Fave <games@example.com", "Fave games@example.com>", "Fave <games@example.com> x",
            "Fave <a@b.example> <c@d.example>", "Fave <<a@b.example>>", "a>b <a@b.example>",
            "\"Fave\" <a@b.example>", "Fave <a @b.example>",
            "Fave <a@b.example>\r\nBcc: x@y.example",
            "\u{200B} <a@b.example>",
        ])
    func malformed(text: String) {
        #expect(Mailbox(text) == nil)
    }

    @Test("has no control characters in its name")
    func control() {
        let mailbox = Mailbox("Fave\r\nBcc: x@y.example\0 <a@b.example>")
        #expect(mailbox?.name?.text == "Fave Bcc: x@y.example")
    }
}
