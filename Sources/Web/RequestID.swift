import Foundation
import HTTP
import HTTPTypes
import Logging

/// The number of one request, in its answer, in the log, and in the problem document if it fails.
struct RequestID: Sendable {
    /// As X-Request-ID has it.
    let text: String
    private let uuid: String

    private init(text: String, uuid: String) {
        self.text = text
        self.uuid = uuid
    }

    /// A new one.
    init() {
        let uuid = UUID().uuidString.lowercased()
        self.init(text: uuid, uuid: uuid)
    }

    /// That of a proxy in front, if it has given one.
    ///
    /// - Parameter isTrusted: Whether whoever sent the request is believed.
    init(of request: Request, isTrusted: Bool) {
        guard isTrusted, let text = request.headerFields[.xRequestID],
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
        return UUID(uuidString: String(decoding: digits, as: UTF8.self))?.uuidString.lowercased()
    }

    /// RFC 9562 section 4.
    var urn: String { "urn:uuid:\(uuid)" }

    /// A logger whose lines name the request.
    func naming(_ logger: Logger) -> Logger {
        var logger = logger
        logger[metadataKey: Self.metadataKey] = "\(text)"
        return logger
    }

    static let metadataKey = "request"
}
