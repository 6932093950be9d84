import Crypto
import Endpoints
import FaveGames
import Foundation
import Storage

// Only the response to a request that created something is stored. A rejected request changed
// nothing, and is tried again.
extension IdempotencyKey {
    /// Identifies the request if it is sent again.
    ///
    /// - Parameter user: The owner of the key; `nil` during sign-up.
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
