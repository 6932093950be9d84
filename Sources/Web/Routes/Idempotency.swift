import Crypto
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Storage

extension Services {
    // Only the response to a request that succeeded is recorded. A rejected request can be sent again.
    package static func carryOut(
        _ context: Endpoints.RequestContext<Services>, once key: IdempotencyKey,
        _ handle: (Endpoints.RequestContext<Services>) async throws -> Response
    ) async throws -> Response {
        let user = await context.tokenUser()
        let request = Idempotency(key, context, user)
        let outcome = try await context.services.store.carryOut(once: request.stored) { store in
            var context = context
            context.services = context.services.writing(to: store)
            return try await handle(context)
        } record: { response in
            response.status.kind == .successful ? try request.record(of: response) : nil
        }
        switch outcome {
        case .made(let response): return response
        case .recorded(let record): return try request.response(of: record)
        }
    }
}

/// A request with a key, and the encryption of its record. The record can contain a token, so it is
/// encrypted with the client's key. Only a digest of the key is stored.
private struct Idempotency {
    let stored: IdempotentRequest
    private let encryption: SymmetricKey

    private struct Record: Codable {
        let status: Int
        let fields: [[String]]
        let body: Data
    }

    /// - Parameter user: The owner of the key; `nil` if the request has no token.
    init(_ key: IdempotencyKey, _ context: RequestContext, _ user: UUID?) {
        let request = context.request
        let secret = SymmetricKey(data: Data(key.text.utf8))
        let owner = user?.uuidString ?? "nobody"
        // Keyed with the client's key: without that, it reveals nothing about the body.
        let message = Data("\(request.method.rawValue) \(request.target.path)\n".utf8)
        let fingerprint = HMAC<SHA256>.authenticationCode(
            for: message + request.body, using: secret)
        stored = IdempotentRequest(
            keyHash: Array(SHA256.hash(data: Data("\(owner)\n\(key.text)".utf8))),
            fingerprint: Array(fingerprint),
            from: user.map { .user($0) }
                ?? .stranger(Array(SHA256.hash(data: Data(context.client.networkName.utf8)))))
        encryption = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("idempotency record".utf8), outputByteCount: 32)
    }

    func record(of response: Response) throws -> Data {
        let record = Record(
            status: response.status.code,
            fields: response.headerFields.map { [$0.name.rawName, $0.value] },
            body: Data(response.body))
        let sealed = try AES.GCM.seal(JSONEncoder().encode(record), using: encryption)
        // There is one, because the nonce has the usual length.
        return sealed.combined ?? Data()
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
