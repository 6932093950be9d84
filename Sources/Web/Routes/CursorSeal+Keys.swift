import Endpoints
import Identity

extension CursorSeal {
    /// - Parameter keys: All known keys of the server's own tokens.
    init(_ keys: [SigningKey]) {
        self.init(
            keys.map(\.cursorKey).map { Key(encryption: $0.encryption, nonces: $0.nonces) })
    }
}
