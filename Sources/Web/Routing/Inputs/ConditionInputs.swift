import Crypto
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import JSON
import Storage

/// The conditions of a change: If-Match and If-None-Match, RFC 9110 section 13.1.
struct IfMatchInput: Input {
    /// The address of what the request replaces as a whole, for which it must say which version it
    /// knows; `nil` for a change that needs no If-Match.
    var replaced: String?

    /// - Throws: 428 if If-Match is required and missing.
    func read(_ call: Call) throws(Problem) -> ChangeConditions {
        if let replaced, call.request.headerFields[.ifMatch] == nil {
            throw Problem(
                .preconditionRequired,
                "Say which list to replace: If-Match with the ETag of \(replaced), "
                    + "or \"If-Match: *\" for any.")
        }
        return ChangeConditions(request: call.request)
    }

    var description: InputDescription {
        let text =
            replaced == nil
            ? "The tag that the change applies to, or `*`. 412 if the tag has changed."
            : "The tag of the version to replace, or `*` for any."
        return InputDescription(
            parameters: [
                .init(
                    name: "If-Match", place: .header, description: text,
                    schema: .text(example: "*"), isRequired: replaced != nil)
            ],
            problems: [.preconditionFailed] + (replaced == nil ? [] : [.preconditionRequired]))
    }
}

/// The conditions of a change, which are checked in its transaction.
struct ChangeConditions: Sendable {
    fileprivate let request: Request

    /// - Parameter current: What a read would answer now. It is made only if the request has
    ///   conditions.
    /// - Throws: 412 if the conditions are not met, 400 if they can't be read.
    func check(_ current: @autoclosure () throws -> Response) throws {
        guard request.contains(.ifMatch) || request.contains(.ifNoneMatch) else { return }
        let conditions = Preconditions(method: request.method, headerFields: request.headerFields)
        guard try conditions.evaluate(entityTag: current().tag) == .proceed else {
            throw Problem(
                .preconditionFailed,
                "It has changed since it was read. Read it again, and repeat the change.")
        }
    }
}

/// The key of a request that creates something and may be sent again, as in
/// draft-ietf-httpapi-idempotency-key-header. Only the answer to a request that created something
/// is kept. A rejected request changed nothing, and is tried again.
struct IdempotencyInput: Input {
    private static let lengths = 16...128

    /// - Throws: 400 for a malformed key.
    func read(_ call: Call) throws(Problem) -> IdempotencyKey? {
        guard let field = call.request.headerFields[.idempotencyKey] else { return nil }
        // The draft requires quotation marks; many clients omit them.
        var key = field.utf8[...]
        let quotes = UInt8(ascii: "\"")
        if key.count >= 2, key.first == quotes, key.last == quotes {
            key = key.dropFirst().dropLast()
        }
        let isVisible = key.allSatisfy { (0x21...0x7E).contains($0) && $0 != quotes }
        guard isVisible, Self.lengths.contains(key.count) else {
            throw .badRequest(
                "\"Idempotency-Key\" must have \(Self.lengths.lowerBound) to "
                    + "\(Self.lengths.upperBound) visible characters, such as a UUID.")
        }
        return IdempotencyKey(text: String(decoding: key, as: UTF8.self), request: call.request)
    }

    var description: InputDescription {
        InputDescription(
            parameters: [
                .init(
                    name: "Idempotency-Key", place: .header,
                    description: """
                        A key of the client's own, new for each request: \
                        \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) visible \
                        characters, such as a UUID. A request that is sent again with the same key \
                        within a day is not carried out again.
                        """,
                    schema: .text(
                        Self.lengths, pattern: "^[!#-~]{16,128}$",
                        example: "8e03978e-40d5-43e8-bc93-6894a57f9324"))
            ], problems: [.idempotencyKeyReused], answerFields: [.idempotencyReplayed])
    }
}

/// A client's key for one request.
struct IdempotencyKey: Sendable {
    fileprivate let text: String
    fileprivate let request: Request

    /// How the request is recognised if it is sent again.
    ///
    /// - Parameter user: The owner of the key; `nil` for someone who is about to sign up.
    func request(of user: User?) -> IdempotentRequest {
        let owner = user?.id.uuidString ?? "nobody"
        // The fingerprint is keyed with the client's key: without that, it reveals nothing about
        // the body.
        let message = Data("\(request.method.rawValue) \(request.target.path)\n".utf8)
        let fingerprint = HMAC<SHA256>.authenticationCode(
            for: message + request.body, using: SymmetricKey(data: Data(text.utf8)))
        return IdempotentRequest(
            keyHash: Array(SHA256.hash(data: Data("\(owner)\n\(text)".utf8))),
            fingerprint: Array(fingerprint))
    }
}

extension Input where Self == IfMatchInput {
    static var ifMatch: Self { Self() }

    /// - Parameter path: The address of what is replaced.
    static func ifMatch(requiredFor path: String) -> Self { Self(replaced: path) }
}

extension Input where Self == IdempotencyInput {
    static var idempotencyKey: Self { Self() }
}
