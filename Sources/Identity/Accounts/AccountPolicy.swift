import Storage

/// The operator's rules for accounts.
public struct AccountPolicy: Sendable {
    /// Whether accounts can be created at all, with a password or through an issuer.
    public var signUpIsOpen = true
    /// Whether this site has its own accounts, with passwords.
    public var hasLocalAccounts = true
    /// Failed sign-ins with one name from one address, and failed confirmations by one user. The
    /// limit for a name from all addresses together is ten times as high: someone who knows a name
    /// must not be able to lock its owner out.
    public var attemptsPerName = AttemptLimit(10, per: .seconds(900))
    /// Failed sign-ins from one address.
    public var attemptsPerAddress = AttemptLimit(50, per: .seconds(900))
    /// Password changes by one user.
    public let passwordChanges = AttemptLimit(10, per: .seconds(3600))
    /// Username changes by one user.
    public let renames = AttemptLimit(10, per: .seconds(86_400))
    /// New accounts from one address.
    public var signUpsPerAddress = AttemptLimit(20, per: .seconds(3600))
    /// How long browser sessions and refresh tokens last.
    public var sessionLifetime = SessionLifetime(
        idle: .seconds(30 * 86_400), absolute: .seconds(365 * 86_400))
    public var accessTokenLifetime = Duration.seconds(900)

    public init() {}

    var attemptsPerNameAnywhere: AttemptLimit {
        attemptsPerName.times(10)
    }
}
