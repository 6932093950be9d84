import FaveGames
import Testing

@testable import Mail

@Suite("What is said to a mail server")
struct SMTPDialogueTests {
    private func received(_ dialogue: inout SMTPDialogue, _ text: String) -> String {
        let action = dialogue.received(text.utf8Span.span)
        return switch action {
        case .wait: "wait"
        case .send(let bytes): String(decoding: bytes, as: UTF8.self)
        case .end(.success, let goodbye): "accepted " + String(decoding: goodbye, as: UTF8.self)
        case .end(.failure(let error), let goodbye):
            "\(error.code) " + String(decoding: goodbye, as: UTF8.self)
        }
    }

    @Test("goes from the sender to the end of the message")
    func order() throws {
        let message = try MailMessageTests.message()
        var dialogue = SMTPDialogue(message)
        #expect(dialogue.opening == Array("MAIL FROM:<games@example.com>\r\n".utf8))
        #expect(received(&dialogue, "250 OK\r\n") == "RCPT TO:<jane@example.org>\r\n")
        #expect(received(&dialogue, "251 \r\n") == "DATA\r\n")
        let content = received(&dialogue, "354\r\n")
        #expect(content == String(decoding: message.bytes, as: UTF8.self) + ".\r\n")
        #expect(received(&dialogue, "250 queued\r\n") == "accepted QUIT\r\n")
        #expect(received(&dialogue, "221 bye\r\n") == "wait")
    }

    @Test("is the same however the replies are cut")
    func cuts() throws {
        let replies = ["250-a\r\n250-b\r\n250 c\r\n", "250 d\r\n", "354 e\r\n", "250-f\r\n250\r\n"]
        var dialogue = SMTPDialogue(try MailMessageTests.message())
        var responses: [String] = []
        for byte in replies.joined() {
            for scalar in byte.unicodeScalars {
                let response = received(&dialogue, String(scalar))
                if response != "wait" { responses.append(response) }
            }
        }
        #expect(responses.count == 4)
        #expect(responses.last == "accepted QUIT\r\n")
    }

    @Test("says at which stage the server has refused")
    func refusals() throws {
        let steps = ["250 a\r\n", "250 b\r\n", "354 c\r\n"]
        let stages: [SMTPError.Stage] = [.sender, .recipient, .content, .content]
        for (count, stage) in stages.enumerated() {
            for (reply, code) in [("550-5.7.1 a\r\n550 no\r\n", 550), ("421 later\r\n", 421)] {
                var dialogue = SMTPDialogue(try MailMessageTests.message())
                for step in steps.prefix(count) { _ = received(&dialogue, step) }
                let expected = SMTPError.Code.refused(stage, reply: code)
                #expect(received(&dialogue, reply) == "\(expected) QUIT\r\n")
                // An operator can mend a sender that isn't accepted.
                #expect(SMTPError(expected).isPermanent == (code == 550 && stage != .sender))
            }
        }
        var dialogue = SMTPDialogue(try MailMessageTests.message())
        #expect(received(&dialogue, "530 5.7.0 who?\r\n") == "authentication QUIT\r\n")
        #expect(!SMTPError(.refused(.connection, reply: 554)).isPermanent)
    }

    @Test(
        "tells a log no address, whatever the server says",
        arguments: [["250 a\r\n"], ["250 a\r\n", "250 b\r\n", "354 c\r\n"]])
    func bounces(steps: [String]) throws {
        let message = try MailMessageTests.message()
        for (reply, status) in [
            ("550 5.1.1 <\(message.to)>: no such user\r\n", "550 5.1.1"),
            ("550-5.7.1 refused:\r\n550 \(message.to)\r\n", "550 5.7.1"),
            ("550 \(message.to) is unknown\r\n", "550 without a status"),
            ("550 5.1.1\(message.to)\r\n", "550 without a status"),
        ] {
            var dialogue = SMTPDialogue(message)
            for step in steps { _ = received(&dialogue, step) }
            guard case .end(.failure(let error), _) = dialogue.received(reply.utf8Span.span) else {
                Issue.record("\(reply) is no refusal")
                continue
            }
            #expect(error.debugDescription.hasSuffix(status), "\(error.debugDescription)")
        }
    }

    @Test(
        "ends when a reply makes no sense",
        arguments: [
            "\r\n", "hello\r\n", "25\r\n", "250-a\r\n251 b\r\n", "250 a\n", "250 a\r\n250 b\r\n",
            "354 go\r\n", "150 a\r\n", "999 a\r\n", "250_a\r\n", "2５0 a\r\n", "250 a\r\n2",
            String(repeating: "250-a\r\n", count: 3000), String(repeating: "2", count: 20_000),
        ])
    func nonsense(reply: String) throws {
        var dialogue = SMTPDialogue(try MailMessageTests.message())
        #expect(received(&dialogue, reply) == "interrupted ")
        #expect(received(&dialogue, "250 OK\r\n") == "wait")
    }

    @Test("doubles the first dot of a line")
    func dots() {
        func stuffed(_ text: String) -> String {
            String(decoding: SMTPDialogue.stuffed(Array(text.utf8)), as: UTF8.self)
        }
        #expect(stuffed(".\r\n") == "..\r\n.\r\n")
        #expect(stuffed("a.\r\n.b\r\n..\r\n") == "a.\r\n..b\r\n...\r\n.\r\n")
    }

    @Test("keeps of a reply only what fits in a line of a log")
    func log() throws {
        let line = "550 a\u{1B}[31m\u{0}b" + String(repeating: "x", count: 900)
        let reply = try #require(SMTPReply([ArraySlice(line.utf8)]))
        #expect(reply.text.hasPrefix("a [31m b"))
        #expect(reply.text.count == SMTPReply.textLimit)
    }
}
