import Encodings
import FaveGames

/// The dialogue that hands over one message (RFC 5321 section 3.3), one command at a time. A state
/// machine without I/O.
struct SMTPDialogue {
    enum Action {
        case wait
        case send([UInt8])
        /// The server has the message, or will not get it. The bytes are the last to send.
        case end(Result<Void, SMTPError>, saying: [UInt8])
    }

    private enum State {
        case sender, recipient, data, content, ended
    }

    private let message: MailMessage
    private var state = State.sender
    private var input: [UInt8] = []
    /// How many bytes of `input` are known to end no line.
    private var searched = 0
    private var lines: [ArraySlice<UInt8>] = []

    /// The most bytes of one reply.
    static let replyLimit = 16_384

    private static let quit = Array("QUIT\r\n".utf8)

    init(_ message: MailMessage) { self.message = message }

    /// The first command.
    var opening: [UInt8] { Array("MAIL FROM:<\(message.from.address)>\r\n".utf8) }

    mutating func received(_ bytes: Span<UInt8>) -> Action {
        guard state != .ended else { return .wait }
        input.append(copying: bytes)
        guard input.count <= Self.replyLimit else { return interrupted("the reply is too long") }
        var start = lines.last.map { $0.endIndex + 2 } ?? 0
        while let end = input[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = input[start..<end]
            guard line.last == UInt8(ascii: "\r") else { return interrupted("a bare line end") }
            lines.append(line.dropLast())
            start = end + 1
            // Only a hyphen after the code says that more lines follow.
            if line.dropFirst(3).first != UInt8(ascii: "-") { return replied(upTo: start) }
        }
        searched = input.count
        return .wait
    }

    private mutating func replied(upTo end: Int) -> Action {
        guard let reply = SMTPReply(lines) else { return interrupted("this is no reply") }
        // Each command waits for its reply, so there is nothing that more could reply to.
        guard end == input.count else { return interrupted("there is more than one reply") }
        input = []
        lines = []
        searched = 0
        return next(after: reply)
    }

    private mutating func next(after reply: SMTPReply) -> Action {
        switch (state, reply.code / 100) {
        case (.sender, 2):
            state = .recipient
            return .send(Array("RCPT TO:<\(message.to)>\r\n".utf8))
        case (.recipient, 2):
            state = .data
            return .send(Array("DATA\r\n".utf8))
        case (.data, 3):
            state = .content
            return .send(Self.stuffed(message.bytes))
        case (.content, 2):
            state = .ended
            return .end(.success(()), saying: Self.quit)
        case (_, 4), (_, 5): return refused(reply)
        default: return interrupted("\(reply.code) is out of place")
        }
    }

    private mutating func refused(_ reply: SMTPReply) -> Action {
        let code: SMTPError.Code
        // Once a server knows the recipient, it may name them in what it says.
        var said = reply.status ?? "without a status"
        switch (reply.code, state) {
        // RFC 4954 section 6: the server wants authentication.
        case (530, _): code = .authentication
        case (_, .sender):
            code = .refused(.sender, reply: reply.code)
            said = reply.text
        case (_, .recipient): code = .refused(.recipient, reply: reply.code)
        default: code = .refused(.content, reply: reply.code)
        }
        state = .ended
        return .end(.failure(SMTPError(code, "\(reply.code) \(said)")), saying: Self.quit)
    }

    private mutating func interrupted(_ why: String) -> Action {
        state = .ended
        return .end(.failure(SMTPError(.interrupted, why)), saying: [])
    }

    /// Ends a message with a line of one dot, and doubles the dot of each line that begins with one
    /// (RFC 5321 section 4.5.2).
    static func stuffed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + 64)
        var beginsLine = true
        for byte in message {
            if beginsLine, byte == UInt8(ascii: ".") { bytes.append(byte) }
            bytes.append(byte)
            beginsLine = byte == UInt8(ascii: "\n")
        }
        return bytes + Array(".\r\n".utf8)
    }
}
