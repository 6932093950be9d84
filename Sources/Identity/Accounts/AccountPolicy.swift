import Storage

/// What an operator decides about accounts.
public struct AccountPolicy: Sendable {
    /// Whether new people may come, in whatever way.
    public var signUpIsOpen = true
    /// Whether there are accounts with passwords of our own.
    public var hasLocalAccounts = true
    /// Failed sign-ins with one name from one address, and failed confirmations by one user. From
    /// all addresses together a name has ten times as many: someone who knows a name must not be
    /// able to keep its owner out.
    public var attemptsPerName = AttemptLimit(10, per: .seconds(900))
    /// Failed sign-ins from one address.
    public var attemptsPerAddress = AttemptLimit(50, per: .seconds(900))
    /// New passwords of one user.
    public let passwordChanges = AttemptLimit(10, per: .seconds(3600))
    /// New usernames of one user.
    public let renames = AttemptLimit(10, per: .seconds(86_400))
    /// New accounts from one address.
    public var signUpsPerAddress = AttemptLimit(20, per: .seconds(3600))
    /// Of browsers, and of refresh tokens.
    public var sessionLifetime = SessionLifetime(
        idle: .seconds(30 * 86_400), absolute: .seconds(365 * 86_400))
    public var accessTokenLifetime = Duration.seconds(900)

    public init() {}

    var attemptsPerNameAnywhere: AttemptLimit {
        AttemptLimit(attemptsPerName.count * 10, per: attemptsPerName.period)
    }
}
