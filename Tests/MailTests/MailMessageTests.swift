import FaveGames
import Foundation
import Testing

@testable import Mail

@Suite("A message")
struct MailMessageTests {
    static func message(
        from: String = "Fave Games <games@example.com>", to: String = "jane@example.org",
        subject: String = "Your password", text: String = "Hello\n"
    ) throws -> MailMessage {
        MailMessage(
            id: try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")),
            date: Date(timeIntervalSince1970: 784_111_777.9),
            from: try #require(Mailbox(from)), to: try #require(MailAddress(to)),
            subject: subject, text: text)
    }

    private func text(_ message: MailMessage) -> String {
        String(decoding: message.bytes, as: UTF8.self)
    }

    @Test("has all fields that it needs, and a body")
    func whole() throws {
        #expect(
            text(try Self.message()) == """
                Date: Sun, 06 Nov 1994 08:49:37 +0000\r
                Message-ID: <6ba7b810-9dad-11d1-80b4-00c04fd430c8@example.com>\r
                From: "Fave Games" <games@example.com>\r
                To: jane@example.org\r
                Subject: Your password\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                Auto-Submitted: auto-generated\r
                \r
                Hello\r

                """)
    }

    @Test("has a subject of one line, whatever it was made from")
    func injection() throws {
        for end in ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{B}", "\0", "\r\n\r\n"] {
            let message = try Self.message(subject: "a\(end)Bcc: x@y.example\(end)")
            #expect(message.subject == "a Bcc: x@y.example")
            #expect(text(message).contains("\r\nSubject: a Bcc: x@y.example\r\nMIME-Version"))
        }
    }

    @Test("has lines of at most 76 characters in its header, all ASCII and with CRLF")
    func lines() throws {
        let texts = [
            String(repeating: "word ", count: 100), String(repeating: "x", count: 500),
            String(repeating: "ä", count: 200), String(repeating: "👩‍👩‍👧‍👦", count: 40),
            String(repeating: "a 漢", count: 90), "=?utf-8?B?YQ==?=", "", " ", "a  b",
        ]
        for subject in texts {
            let message = try Self.message(
                from: "\(String(repeating: "é", count: 80)) <games@example.com>",
                subject: subject, text: String(repeating: "ü . = \t", count: 500))
            let bytes = message.bytes
            #expect(bytes.allSatisfy { $0 < 0x7F })
            let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
            for line in lines {
                #expect(line.utf8.count <= 76)
                #expect(!line.contains("\n") && !line.contains("\r"))
            }
            let header = lines.prefix { !$0.isEmpty }
            // An empty subject has only its name.
            #expect(header.allSatisfy { $0.first != " " || $0.dropFirst().first != " " })
            #expect(lines.last == "")
        }
    }

    @Test("quotes a name in ASCII, and encodes any other")
    func names() {
        #expect(HeaderField.phrase("Jane \"J\" D\\oe") == ["\"Jane \\\"J\\\" D\\\\oe\""])
        #expect(HeaderField.phrase("Jané") == ["=?utf-8?B?SmFuw6k=?="])
        #expect(HeaderField.phrase("=?utf-8?Q?x?=").first?.hasPrefix("=?utf-8?B?") == true)
    }

    @Test("encodes its text as quoted-printable")
    func quotedPrintable() {
        func encoded(_ text: String) -> String {
            var bytes: [UInt8] = []
            QuotedPrintable.append(text, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(encoded("") == "")
        #expect(encoded("a\n") == "a\r\n")
        #expect(encoded("a\n\n") == "a\r\n\r\n")
        #expect(encoded("a=b") == "a=3Db\r\n")
        #expect(encoded("é") == "=C3=A9\r\n")
        #expect(encoded("a \nb\t\r\nc\rd") == "a=20\r\nb=09\r\nc\r\nd\r\n")
        #expect(encoded("\0\u{1B}") == "=00=1B\r\n")
        #expect(encoded("a\u{2028}b") == "a=E2=80=A8b\r\n")
        let x = { String(repeating: "x", count: $0) }
        #expect(encoded(x(76)) == x(76) + "\r\n")
        #expect(encoded(x(77)) == x(75) + "=\r\n" + x(2) + "\r\n")
        #expect(encoded(x(73) + "é") == x(73) + "=\r\n=C3=A9\r\n")
        #expect(encoded(x(72) + "é") == x(72) + "=C3=\r\n=A9\r\n")
    }
}
