/// What a client of the API shows to get its next tokens, once.
///
/// One half is the same for all tokens of a session, the other is each one's own: a token whose
/// first half is known and whose second is not is an old one, however old, and nothing has to be
/// kept of those.
public struct RefreshToken: Sendable {
    let family: SecretToken
    let own: SecretToken

    /// The first of a session.
    init() {
        self.init(family: SecretToken())
    }

    private init(family: SecretToken) {
        self.family = family
        own = SecretToken()
    }

    /// Reads what a client shows.
    ///
    /// - Returns: `nil` if it is not of the form.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let family = SecretToken(String(parts[0])),
            let own = SecretToken(String(parts[1]))
        else { return nil }
        self.family = family
        self.own = own
    }

    /// The one that comes after it.
    var next: RefreshToken { RefreshToken(family: family) }

    /// What the client gets. Never to be logged.
    var text: String { "\(family.text).\(own.text)" }
}
