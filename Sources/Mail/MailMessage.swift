import Encodings
public import FaveGames
public import Foundation
import HTTP

/// A message in plain text to one person, as it is sent (RFC 5322).
///
/// No part of it can begin a header field of its own: addresses, names and the identifier are of
/// types without control characters, and the subject is cleaned of them.
public struct MailMessage: Hashable, Sendable {
    /// Becomes the Message-ID, with the sender's domain.
    public let id: UUID
    public let date: Date
    public let from: Mailbox
    public let to: MailAddress
    /// On one line.
    public let subject: String
    /// In any script. A line ends with `\n`, `\r\n` or `\r`.
    public let text: String

    /// - Parameter subject: White space and control characters become single spaces.
    public init(
        id: UUID, date: Date, from: Mailbox, to: MailAddress, subject: String, text: String
    ) {
        self.id = id
        self.date = date
        self.from = from
        self.to = to
        self.subject = OneLine.clean(subject)
        self.text = text
    }

    /// The header and the body, all in ASCII. Lines end with CRLF, also the last one, and have at
    /// most 998 characters without that.
    public var bytes: [UInt8] {
        let fields = [
            HeaderField("Date", [dateTime]),
            HeaderField("Message-ID", ["<\(id.text)@\(from.address.domain)>"]),
            HeaderField(
                "From", phrase + [from.name == nil ? "\(from.address)" : "<\(from.address)>"]),
            HeaderField("To", ["\(to)"]),
            HeaderField("Subject", HeaderField.words(subject)),
            HeaderField("MIME-Version", ["1.0"]),
            HeaderField("Content-Type", ["text/plain; charset=utf-8"]),
            HeaderField("Content-Transfer-Encoding", ["quoted-printable"]),
            // RFC 3834 section 5: asks programs not to reply.
            HeaderField("Auto-Submitted", ["auto-generated"]),
        ]
        var bytes: [UInt8] = []
        for field in fields { bytes += field.folded.utf8 }
        bytes += "\r\n".utf8
        QuotedPrintable.append(text, to: &bytes)
        return bytes
    }

    /// The date of RFC 5322 section 3.3. It differs from HTTP's only in the zone.
    private var dateTime: String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        return HTTPDate.format(secondsSince1970: seconds).dropLast("GMT".count) + "+0000"
    }

    private var phrase: [String] { from.name.map { HeaderField.phrase($0.text) } ?? [] }
}
