public import FaveGames

/// The operator's rules for accounts.
public struct AccountPolicy: Sendable {
    /// The people who can create an account, with a password or through an issuer.
    public enum SignUp: String, CaseIterable, Sendable {
        case open
        /// Only people with an invitation.
        case invite
        case closed
    }

    public var signUp = SignUp.open
    public var signUpIsOpen: Bool { signUp == .open }
    /// How long the list of a new account waits before it is shown publicly, in hours. Invited people
    /// don't wait: someone vouches for them.
    public var newListDelayHours = 24
    /// Words that comments, names and descriptions must not contain.
    public var refusedWords = RefusedWords()
    /// Whether this site has its own accounts, with passwords.
    public var hasLocalAccounts = true
    /// Failed sign-ins with one name from one address, and failed confirmations by one user. The
    /// limit for a name from all addresses together is ten times as high, and higher than that of any
    /// one network: someone who knows a name must not be able to lock its owner out.
    public var attemptsPerName = AttemptLimit(10, per: .seconds(900))
    /// Failed sign-ins from one address.
    public var attemptsPerAddress = AttemptLimit(50, per: .seconds(900))
    /// Other requests with the Idempotency-Key of an earlier one. Many copies of one request can come at
    /// once.
    var repetitionsPerKey: AttemptLimit { attemptsPerName.times(3) }
    /// Password changes by one user.
    public let passwordChanges = AttemptLimit(10, per: .seconds(3600))
    /// New accounts from one address.
    public var signUpsPerAddress = AttemptLimit(20, per: .seconds(3600))
    /// Whether the site has a mail server, so that people can add an address and get links by mail.
    public var hasMail = false
    /// Confirmations that one user can have sent.
    public let mailsPerUser = AttemptLimit(5, per: .seconds(3600))
    /// Confirmations that are sent to one address, from all users together.
    public let mailsPerAddress = AttemptLimit(5, per: .seconds(86_400))
    /// Invitations that one user can make.
    public let invitationsPerUser = AttemptLimit(20, per: .seconds(86_400))
    /// Links to set a password that can be asked for from one address, and for one account.
    public let resetsPerAddress = AttemptLimit(20, per: .seconds(3600))
    public let resetsPerAccount = AttemptLimit(3, per: .seconds(3600))
    /// The largest number of a member's open invitations.
    public static let invitationLimit = 20
    /// How long browser sessions and refresh tokens last.
    public var sessionLifetime = SessionLifetime(
        idle: .seconds(30 * 86_400), absolute: .seconds(365 * 86_400))
    public var accessTokenLifetime = Duration.seconds(900)

    public init() {}

    var attemptsPerNameAnywhere: AttemptLimit {
        attemptsPerName.times(10)
    }

    /// - Throws: `AccountError.usernameReserved`, `RefusedText`.
    public func check(_ username: Username) throws {
        let name = username.description
        guard !username.isReserved else { throw AccountError.usernameReserved(name) }
        try refusedWords.check([name])
    }
}
