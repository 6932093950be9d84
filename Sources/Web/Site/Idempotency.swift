import Attempts
import Crypto
package import Endpoints
import Foundation
package import HTTP
import HTTPTypes
import Identity
import Storage

extension Services {
    // Only the response to a request that succeeded is recorded. A refused request can be sent again.
    package static func carryOut(
        _ context: Endpoints.RequestContext<Services>, once key: IdempotencyKey, signIn: SignIn,
        _ handle: (Endpoints.RequestContext<Services>) async throws -> Response
    ) async throws -> Response {
        let accounts = context.services.accounts
        let address = context.client.networkName
        let user = try await context.keyOwner(signIn)
        let network =
            user == nil && !address.isEmpty
            ? try await accounts.attempts.digest(of: Attempt("repeated from", address)) : nil
        let stranger = user == nil ? address : ""
        let request = Idempotency(key, context, user, network: network)
        do {
            let outcome = try await context.services.store.carryOut(once: request.stored) { store in
                var context = context
                context.services = context.services.writing(to: store)
                return try await handle(context)
            } isRefusal: { error in
                Problem(refusal: error) != nil
            } record: { response in
                response.status.kind == .successful ? try request.record(of: response) : nil
            }
            switch outcome {
            case .made(let response): return response
            case .recorded(let record):
                // Those who guess too much don't learn when they are right.
                try await accounts.attemptRepetition(with: request.name, from: stranger)
                let response = try request.response(of: record)
                try await accounts.forgiveRepetition(with: request.name, from: stranger)
                return response
            }
        } catch let error as IdempotencyKeyReusedError {
            // A body may contain a password: this is an attempt to guess it.
            try await accounts.attemptRepetition(with: request.name, from: stranger)
            throw error
        }
    }
}

/// A request with a key, and the encryption of its record. The record can contain a token, so it is
/// encrypted with the client's key. Only a digest of the key is stored.
private struct Idempotency {
    let stored: IdempotentRequest
    /// The key and its owner.
    let name: String
    private let encryption: SymmetricKey

    private static let maximumSize = 1 << 20

    private struct Record: Codable {
        let status: Int
        let fields: [[String]]
        let body: Data
    }

    /// - Parameters:
    ///   - user: The owner of the key; `nil` if the request has no token.
    ///   - network: A keyed digest of the address that a request without a token came from; `nil` if
    ///     that is unknown.
    init(_ key: IdempotencyKey, _ context: RequestContext, _ user: UUID?, network: String?) {
        let request = context.request
        let secret = SymmetricKey(data: Data(key.text.utf8))
        name = "\(user?.uuidString ?? "nobody")\n\(key.text)"
        let keyHash = Array(SHA256.hash(data: Data(name.utf8)))
        let target = request.target.path + (request.target.query.map { "?\($0)" } ?? "")
        let condition = request.headerFields[.ifMatch] ?? ""
        // Keyed with the client's key: without that, it reveals nothing about the body.
        let message = Data("\(request.method.rawValue) \(target)\n\(condition)\n".utf8)
        let fingerprint = HMAC<SHA256>.authenticationCode(
            for: message + request.body, using: secret)
        // The requests from unknown addresses have nothing in common.
        let stranger = network.map { Array(SHA256.hash(data: Data($0.utf8))) } ?? keyHash
        stored = IdempotentRequest(
            keyHash: keyHash, fingerprint: Array(fingerprint),
            from: user.map { .user($0) } ?? .stranger(stranger))
        encryption = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("idempotency record".utf8), outputByteCount: 32)
    }

    /// - Returns: `nil` if the response is too large.
    func record(of response: Response) throws -> Data? {
        let record = Record(
            status: response.status.code,
            fields: response.headerFields.map { [$0.name.rawName, $0.value] },
            body: Data(response.body))
        // There is a combined form, because the nonce has the usual length.
        let sealed = try AES.GCM.seal(JSONEncoder().encode(record), using: encryption).combined
        return sealed.flatMap { $0.count <= Self.maximumSize ? $0 : nil }
    }

    func response(of record: Data) throws -> Response {
        let record = try JSONDecoder().decode(
            Record.self, from: AES.GCM.open(AES.GCM.SealedBox(combined: record), using: encryption))
        var response = Response(status: .init(code: record.status), body: Array(record.body))
        for field in record.fields {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else { continue }
            response.headerFields.append(HTTPField(name: name, value: field[1]))
        }
        response.headerFields[.idempotencyReplayed] = "true"
        response.cacheability = .never
        return response
    }
}
