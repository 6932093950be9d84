import Crypto
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import JSON
import Storage

// Requests that make something and may be sent again, after draft-ietf-httpapi-idempotency-key-header.
// Only what was made is kept: a request that was refused changed nothing, and is tried again.
extension Call {
    /// What the request is known by if it is sent again; `nil` if it has no Idempotency-Key.
    ///
    /// - Parameter user: Whose key it is; `nil` for someone who is about to sign up.
    /// - Throws: 400 for a key that is none.
    func idempotentRequest(of user: User?) throws(Problem) -> IdempotentRequest? {
        guard let field = request.headerFields[.idempotencyKey] else { return nil }
        guard let key = Self.key(field) else {
            throw .badRequest(
                "\"Idempotency-Key\" must have \(Self.keyLengths.lowerBound) to "
                    + "\(Self.keyLengths.upperBound) visible characters, a UUID for example.")
        }
        let owner = user?.id.uuidString ?? "nobody"
        // The key opens the fingerprint: it tells nothing of the body to those who do not know it.
        let message = Data("\(request.method.rawValue) \(request.target.path)\n".utf8)
        let fingerprint = HMAC<SHA256>.authenticationCode(
            for: message + request.body, using: SymmetricKey(data: Data(key.utf8)))
        return IdempotentRequest(
            keyHash: Array(SHA256.hash(data: Data("\(owner)\n\(key)".utf8))),
            fingerprint: Array(fingerprint))
    }

    private static let keyLengths = 16...128

    /// Reads a key, in quotation marks as the draft wants it, or as many clients send it, without.
    private static func key(_ field: String) -> String? {
        var key = field.utf8[...]
        let quotes = UInt8(ascii: "\"")
        if key.count >= 2, key.first == quotes, key.last == quotes {
            key = key.dropFirst().dropLast()
        }
        let isVisible = key.allSatisfy { (0x21...0x7E).contains($0) && $0 != quotes }
        guard isVisible, keyLengths.contains(key.count) else { return nil }
        return String(key)
    }

    /// The answer to a request that has made something, now or when it came first.
    func created(_ answer: KeptAnswer) -> Response {
        var response = Response(
            status: .created,
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-store",
            ], body: Array(answer.body.utf8))
        response.headerFields[.location] = answer.location
        if answer.isRepeated { response.headerFields[.idempotencyReplayed] = "true" }
        return response
    }
}

extension KeptAnswer {
    init(location: String? = nil, _ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        self.init(location: location, body: String(decoding: json.bytes, as: UTF8.self))
    }
}
