import FaveGames
package import Foundation
import Postgres

/// A request that is carried out once, no matter how often it is sent.
package struct IdempotentRequest: Hashable, Sendable {
    /// The sender of a request. The number of records of each sender is limited.
    package enum Sender: Hashable, Sendable {
        case user(UUID)
        /// Someone without an account, with a keyed digest of their network's address: 32 bytes.
        case stranger([UInt8])

        /// The largest number of records. Older ones are deleted. Many people can share a network.
        fileprivate var limit: Int {
            switch self {
            case .user: 100
            case .stranger: 1000
            }
        }
    }

    let keyHash: [UInt8]
    let fingerprint: [UInt8]
    let sender: Sender

    /// - Parameters:
    ///   - keyHash: SHA-256 of the client's key and the key's owner.
    ///   - fingerprint: 32 bytes that distinguish the request from others with the same key.
    package init(keyHash: [UInt8], fingerprint: [UInt8], from sender: Sender) {
        self.keyHash = keyHash
        self.fingerprint = fingerprint
        self.sender = sender
    }
}

/// The key of an idempotent request was already used for a different one.
package struct IdempotencyKeyReusedError: Error, Hashable, Sendable {}

/// Another copy of the request is being carried out at the moment.
package struct RequestInProgressError: Error, Hashable, Sendable {}

/// What came of a request that is carried out once.
package enum IdempotentOutcome<Made: Sendable>: Sendable {
    /// It was carried out now.
    case made(Made)
    /// It had been carried out before, and this was recorded.
    case recorded(Data)
}

extension Store {
    /// Carries out a request, unless that was done before.
    ///
    /// What `body` writes through its store is committed together with the record. If the commit fails,
    /// neither is stored.
    ///
    /// - Parameters:
    ///   - body: Throws if the request is refused or fails. It can then be sent again.
    ///   - isRefusal: Whether an error of `body` refuses the request. What `body` has written then stays,
    ///     as it does without a key. After any other error, nothing is stored.
    ///   - record: The record of what `body` returned, at most 1 MiB; `nil` if the request can be sent
    ///     again.
    /// - Throws: `IdempotencyKeyReusedError`, `RequestInProgressError`, `PostgresError`, and what `body`
    ///   throws.
    package func carryOut<Made>(
        once request: IdempotentRequest, _ body: (Store) async throws -> Made,
        isRefusal: (any Error) -> Bool, record: (Made) throws -> Data?
    ) async throws -> IdempotentOutcome<Made> {
        let store = reading(.anew)
        if let recorded = try await store.record(of: request) { return .recorded(recorded) }
        let transaction = RequestTransaction(database.pool, for: request)
        do {
            let made: Made
            do {
                made = try await body(reading(.together(transaction)))
            } catch {
                if isRefusal(error) { try await transaction.commit() }
                throw error
            }
            if let record = try record(made) {
                _ = try await transaction.query(
                    IdempotencyRecords.record, request.parameters(record), after: nil)
            }
            try await transaction.commit()
            return .made(made)
        } catch {
            await transaction.cancel()
            // A commit that waits for a standby is visible, but not safe.
            if (error as? PostgresError)?.code == .outcomeUnknown { throw error }
            // The other copy of two that came at once may have been first, or be first in a moment.
            if let recorded = try await store.laterRecord(of: request) {
                return .recorded(recorded)
            }
            guard transaction.isContended else { throw error }
            for pause in Self.pausesForRecord {
                try await Task.sleep(for: .milliseconds(pause))
                if let recorded = try await store.record(of: request) { return .recorded(recorded) }
            }
            throw RequestInProgressError()
        }
    }

    /// The record of a request that has failed here.
    ///
    /// - Returns: Also `nil` if PostgreSQL can't say: why the request failed matters more.
    private func laterRecord(of request: IdempotentRequest) async throws -> Data? {
        do {
            return try await record(of: request)
        } catch is PostgresError {
            return nil
        }
    }

    /// How long to wait for another copy of a request before looking for its record again, in
    /// milliseconds. A waiting request holds no connection.
    private static let pausesForRecord = [10, 20, 40, 80, 160, 320, 640, 1_280]

    private func record(of request: IdempotentRequest) async throws -> Data? {
        let found = try await database.query(
            IdempotencyRecords.find, [.bytes(request.keyHash), .bytes(request.fingerprint)])
        return try found.first?.get()
    }
}

extension IdempotentRequest {
    fileprivate func parameters(_ record: Data) -> [PostgresParameter] {
        let (user, network): (UUID?, [UInt8]?) =
            switch sender {
            case .user(let id): (id, nil)
            case .stranger(let network): (nil, network)
            }
        return [
            .bytes(keyHash), .bytes(fingerprint), .uuid(user), network.map { .bytes($0) } ?? nil,
            .bytes(Array(record)), .int(sender.limit),
        ]
    }
}

enum IdempotencyRecords {
    private static let response = Columns<Result<Data, IdempotencyKeyReusedError>>(
        ["fingerprint = $2", "response"]
    ) { row throws(PostgresError) in
        let isSameRequest: Bool = try row.next()
        let response: PostgresBytes = try row.next()
        return isSameRequest
            ? .success(Data(response.bytes)) : .failure(IdempotencyKeyReusedError())
    }

    /// An SQL condition. Housekeeping deletes records that are too old, but may come late.
    private static let isRecent =
        "made_at > now() - interval '\(Retention.idempotencyRecordDays) day'"

    fileprivate static let find = Query("idempotency_record", .read, response) {
        "SELECT \($0) FROM idempotency_records WHERE key_hash = $1 AND \(isRecent)"
    }

    /// Whether this is the only copy of the request. No other copy can begin until the transaction ends.
    /// The statement may overlook a copy that has just ended. Then this one fails when it inserts its
    /// record, and nothing is committed. A record that is too old makes way for the new one.
    static let claim = Query(
        "claim_idempotency_key", .write,
        column(
            """
            pg_try_advisory_xact_lock(('x' || encode(substr($1::bytea, 1, 8), 'hex'))::bit(64)::bigint)
                AND NOT EXISTS (SELECT FROM idempotency_records
                                WHERE key_hash = $1 AND \(isRecent))
            """, Bool.self)
    ) {
        """
        WITH expired AS (
            DELETE FROM idempotency_records WHERE key_hash = $1 AND NOT \(isRecent)
        )
        SELECT \($0)
        """
    }

    fileprivate static let record = Statement(
        "record_response", .write,
        """
        WITH pushed_out AS (
            DELETE FROM idempotency_records WHERE key_hash IN (
                SELECT key_hash FROM idempotency_records WHERE user_id = $3 OR network = $4
                ORDER BY made_at DESC, key_hash OFFSET $6 - 1)
        )
        INSERT INTO idempotency_records (key_hash, fingerprint, user_id, network, response)
        SELECT $1, $2, $3, $4, $5
        WHERE $3 IS NULL OR EXISTS (SELECT FROM users WHERE id = $3 FOR KEY SHARE)
        """)
}
