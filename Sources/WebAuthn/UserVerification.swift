/// Whether the authenticator must verify who is using it, section 5.8.6.
public enum UserVerification: String, Hashable, Sendable {
    /// By a PIN, a fingerprint or the like, or the ceremony fails.
    case required
    /// If the authenticator can.
    case preferred
}
