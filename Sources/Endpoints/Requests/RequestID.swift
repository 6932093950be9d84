import Encodings
import Foundation
package import HTTP
import HTTPTypes
package import Logging
import Synchronization

/// The id of one request. It is in the response, in the log, and in the problem document if the
/// request fails.
package struct RequestID: Sendable {
    /// The id, in the form that X-Request-ID contains.
    package let text: String
    private let uuid: String

    private init(text: String, uuid: String) {
        self.text = text
        self.uuid = uuid
    }

    /// Makes a new id: RFC 9562 section 5.8. An id must be unique, but is not secret. So a process
    /// takes only its starting values at random and then counts; asking the system for random
    /// numbers each time would cost more than many a response.
    package init() {
        let count = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        let version: UInt64 = 0x8000
        let variant: UInt64 = 0x8000_0000_0000_0000
        let uuid = UUID.text(
            Self.process & ~0xF000 | version, count & 0x3FFF_FFFF_FFFF_FFFF | variant)
        self.init(text: uuid, uuid: uuid)
    }

    private static let process = UInt64.random(in: 0...UInt64.max)
    private static let count = Atomic(UInt64.random(in: 0...UInt64.max))

    /// Takes the id that a proxy in front has given, or else makes a new one.
    ///
    /// - Parameter isTrusted: Whether the sender of the request is trusted.
    package init(of request: Request, isTrusted: Bool) {
        guard isTrusted, let text = request.value(of: .xRequestID),
            let uuid = Self.uuid(text)
        else {
            self.init()
            return
        }
        self.init(text: text, uuid: uuid)
    }

    /// Reads a UUID, or its 32 digits without hyphens, as some proxies write it.
    private static func uuid(_ text: String) -> String? {
        var digits = Array(text.utf8)
        if digits.count == 32 {
            for place in [8, 13, 18, 23] { digits.insert(UInt8(ascii: "-"), at: place) }
        }
        guard digits.count == 36 else { return nil }
        return UUID(uuidString: String(decoding: digits, as: UTF8.self))?.text
    }

    /// The id as a URN, RFC 9562 section 4.
    package var urn: String { "urn:uuid:\(uuid)" }

    /// A logger whose messages name the request.
    package func naming(_ logger: Logger) -> Logger {
        var logger = logger
        logger[metadataKey: Self.metadataKey] = "\(text)"
        return logger
    }

    package static let metadataKey = "request"
}
