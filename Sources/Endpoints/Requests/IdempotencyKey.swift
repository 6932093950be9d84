import Encodings
import HTTP
import HTTPTypes
import Languages

/// A client's key for one request that it may send again, as in
/// draft-ietf-httpapi-idempotency-key-header. Every route of an API that carries out a POST takes one.
package struct IdempotencyKey: Sendable {
    package let text: String

    private static let lengths = 16...128
    /// Someone who guesses a key could try out what was sent with it. A random UUID, in whatever form, has
    /// more, but for one in some millions.
    private static let leastDifferent = 8

    static let description = InputDescription(
        parameters: [
            .init(
                name: "Idempotency-Key", place: .header,
                description: """
                    A key of the client's own, new and random for each request: \
                    \(lengths.lowerBound) to \(lengths.upperBound) visible characters, at least \
                    \(leastDifferent) of them different, such as a UUID. A request that is sent \
                    again with the same key within a day is not carried out again.
                    """,
                schema: .text(
                    lengths, pattern: "^[!#-~]{16,128}$",
                    example: "8e03978e-40d5-43e8-bc93-6894a57f9324"))
        ], problems: [.idempotencyKeyReused, .requestInProgress, .unprocessableContent],
        responseFields: [.idempotencyReplayed])

    /// - Returns: `nil` if the request doesn't contain a key.
    /// - Throws: 400 for a malformed key, and 422 for one that can be guessed.
    init?(of request: Request) throws(Problem) {
        guard let field = request.value(of: .idempotencyKey) else { return nil }
        // The draft requires quotation marks; many clients omit them.
        var key = field.utf8[...]
        let quotes = UInt8(ascii: "\"")
        if key.count >= 2, key.first == quotes, key.last == quotes {
            key = key.dropFirst().dropLast()
        }
        let isVisible = key.allSatisfy { $0.isASCIIVisible && $0 != quotes }
        guard isVisible, Self.lengths.contains(key.count) else {
            throw .invalidParameter(
                "Idempotency-Key",
                "must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) visible "
                    + "characters, such as a UUID")
        }
        guard Set(key).count >= Self.leastDifferent else {
            // Its schema can't say that, so it is well-formed.
            var problem = Problem(
                .unprocessableContent,
                .english(
                    "\"Idempotency-Key\" must have at least \(Self.leastDifferent) different characters, "
                        + "so that no one can guess it. Use a random UUID."))
            problem.parameter = "Idempotency-Key"
            throw problem
        }
        text = String(decoding: key, as: UTF8.self)
    }
}
