import Crypto

/// The token that an API client exchanges, once, for its next tokens.
///
/// The first half is the same for all refresh tokens of a session; the second half is unique to
/// each token. A token with a known first half and an unknown second half must be an old one,
/// however old. So old tokens need not be stored.
public struct RefreshToken: Sendable {
    let family: SecretToken
    let own: SecretToken

    /// The first token of a session.
    init() {
        self.init(family: SecretToken())
    }

    /// The token that replaces an app's code. Nobody can compute it, so that a code that is shown as a
    /// refresh token gets nothing.
    func redeemed() -> RefreshToken { RefreshToken(family: family) }

    private init(family: SecretToken, own: SecretToken = SecretToken()) {
        self.family = family
        self.own = own
    }

    /// Parses a token that a client presents.
    ///
    /// - Returns: `nil` if the text is malformed.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let family = SecretToken(String(parts[0])),
            let own = SecretToken(String(parts[1]))
        else { return nil }
        self.family = family
        self.own = own
    }

    /// The token that replaces this one: always the same, so a client whose response was lost can
    /// request it again. Only someone with the server's key can compute it.
    func next(_ key: SymmetricKey) -> RefreshToken {
        RefreshToken(family: family, own: own.successor(key))
    }

    /// The text that the client gets. It must never be logged.
    var text: String { "\(family.text).\(own.text)" }
}
