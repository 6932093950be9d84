import FaveGames
import Foundation
import Postgres

/// A request that creates something only once, no matter how often it is sent.
public struct IdempotentRequest: Hashable, Sendable {
    let keyHash: [UInt8]
    let fingerprint: [UInt8]

    /// - Parameters:
    ///   - keyHash: SHA-256 of the client's key and the key's owner.
    ///   - fingerprint: 32 bytes that distinguish the request from others with the same key.
    public init(keyHash: [UInt8], fingerprint: [UInt8]) {
        self.keyHash = keyHash
        self.fingerprint = fingerprint
    }
}

/// The stored response to a request that created something.
public struct IdempotentResponse: Hashable, Sendable {
    /// The address of the created resource, if any.
    public let location: String?
    /// At most 64 KiB.
    public let body: String
    /// Whether the response was already given to an earlier copy of the request.
    public let isRepeated: Bool

    public init(location: String?, body: String, isRepeated: Bool = false) {
        self.location = location
        self.body = body
        self.isRepeated = isRepeated
    }
}

/// How to respond to a request that created something. The response is stored for when the request is sent
/// again.
public struct IdempotencyRecording<Made>: Sendable {
    let request: IdempotentRequest
    let response: @Sendable (Made) -> IdempotentResponse

    public init(
        _ request: IdempotentRequest, response: @escaping @Sendable (Made) -> IdempotentResponse
    ) {
        self.request = request
        self.response = response
    }
}

/// The key of an idempotent request was already used for a different one.
public struct IdempotencyKeyReusedError: Error, Hashable, Sendable {}

extension Store {
    /// The response that a request was given before.
    ///
    /// - Returns: `nil` if the request is new, or its response is no longer stored.
    /// - Throws: `IdempotencyKeyReusedError`.
    public func recordedResponse(to request: IdempotentRequest) async throws -> IdempotentResponse?
    {
        try await database.query(IdempotencyRecords.find, request.parameters).first?.get()
    }

    /// - Throws: `IdempotencyKeyReusedError`.
    func recordedResponse(
        to request: IdempotentRequest, in transaction: Transaction
    ) async throws -> IdempotentResponse? {
        try await transaction.query(IdempotencyRecords.find, request.parameters).first?.get()
    }

    /// - Throws: `IdempotencyKeyReusedError` if another request with the same key was stored first.
    func keep(
        _ response: IdempotentResponse, to request: IdempotentRequest, of userID: UUID,
        in transaction: Transaction
    ) async throws {
        do {
            try await transaction.query(
                IdempotencyRecords.keep,
                request.parameters + [
                    .uuid(userID), .text(response.location), .text(response.body),
                ])
        } catch  where error.constraint == "idempotency_records_pkey" {
            throw IdempotencyKeyReusedError()
        }
    }
}

extension IdempotentRequest {
    fileprivate var parameters: [PostgresParameter] { [.bytes(keyHash), .bytes(fingerprint)] }
}

private enum IdempotencyRecords {
    typealias Found = Result<IdempotentResponse, IdempotencyKeyReusedError>

    private static let response = Columns<Found>(
        ["fingerprint = $2", "location", "body"]
    ) { row throws(PostgresError) in
        let isSameRequest: Bool = try row.next()
        let response = try IdempotentResponse(
            location: row.next(), body: row.next(), isRepeated: true)
        return isSameRequest ? .success(response) : .failure(IdempotencyKeyReusedError())
    }

    static let find = Query("idempotency_record", .read, response) {
        "SELECT \($0) FROM idempotency_records WHERE key_hash = $1"
    }

    static let keep = Statement(
        "record_idempotent_response", .write,
        """
        WITH pushed_out AS (
            DELETE FROM idempotency_records WHERE key_hash IN (
                SELECT key_hash FROM idempotency_records WHERE user_id = $3
                ORDER BY made_at DESC, key_hash OFFSET 99)
        )
        INSERT INTO idempotency_records (key_hash, fingerprint, user_id, location, body)
        VALUES ($1, $2, $3, $4, $5)
        """)
}
