/// A token that a user creates for their own program: a prefix that secret scanners and people
/// recognise, and 256 random bits.
public struct PersonalToken: Sendable {
    /// The lifetimes that people can choose for a token, in days.
    public static let lifetimes = [30, 90, 365]
    public static let defaultLifetime = 90
    /// The largest number of tokens that a user can have.
    public static let limit = 50

    static let prefix = "fave_pat_"

    private let secret: SecretToken

    public init() { secret = SecretToken() }

    /// Parses a token that a client presents.
    ///
    /// - Returns: `nil` if the text isn't a personal token. An access token never is one, since a JWT
    ///   begins with an encoded brace.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let secret = SecretToken(String(text.dropFirst(Self.prefix.count)))
        else { return nil }
        self.secret = secret
    }

    /// The text that the user gets once. It must never be logged.
    public var text: String { Self.prefix + secret.text }

    /// The form that the database stores.
    var hash: [UInt8] { secret.hash }
}
