import FaveGames
import Foundation
import Postgres

/// A user and the hash of their password, if any. Must never be logged.
public struct Credentials: Sendable {
    public let user: User
    public let passwordHash: String?
}

/// Changes to a user's profile. A field that is `nil` remains as it is.
public struct ProfileChanges: Sendable {
    public var username: Username?
    public var displayName: DisplayName?
    public var bio: Bio?
    public var visibility: Visibility?
    public var showsRatings: Bool?
    public var takesYearlySnapshots: Bool?

    public init(
        username: Username? = nil, displayName: DisplayName? = nil, bio: Bio? = nil,
        visibility: Visibility? = nil, showsRatings: Bool? = nil,
        takesYearlySnapshots: Bool? = nil
    ) {
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.visibility = visibility
        self.showsRatings = showsRatings
        self.takesYearlySnapshots = takesYearlySnapshots
    }
}

/// The username is taken or reserved, or too similar to such a one.
public struct UsernameTakenError: Error, Hashable, Sendable {
    package init() {}
}

extension Store {
    // MARK: Passwords

    /// The credentials of the user with this username, even if disabled.
    public func credentials(username: String) async throws(PostgresError) -> Credentials? {
        try await database.query(Accounts.credentialsByUsername, [.text(username)]).first
    }

    public func credentials(userID: UUID) async throws(PostgresError) -> Credentials? {
        try await database.query(Accounts.credentialsByUserID, [.uuid(userID)]).first
    }

    /// Whether the username is available now.
    public func isFree(_ username: Username) async throws(PostgresError) -> Bool {
        try await database.row(Users.nameIsFree, [.text(username.description)])
    }

    /// Whether a user was made less than a minute ago.
    public func isJustMade(userID: UUID) async throws(PostgresError) -> Bool {
        try await database.row(Users.isJustMade, [.uuid(userID)])
    }
}

enum Accounts {
    private static func credentials(
        _ name: String, where condition: String
    ) -> Query<Credentials> {
        let columns = Columns(
            User.columns.expressions + ["p.hash"]
        ) { row throws(PostgresError) in
            try Credentials(user: row.next(User.columns), passwordHash: row.next())
        }
        return Query(
            name, .read, columns,
            unfiltered: "Someone may sign in while the browser is signed in to another account."
        ) {
            """
            SELECT \($0)
            FROM \(User.tables) LEFT JOIN passwords p ON p.user_id = u.id
            WHERE \(condition)
            """
        }
    }

    static let credentialsByUsername = credentials(
        "credentials_by_username", where: "u.username = $1")

    static let credentialsByUserID = credentials(
        "credentials_by_user_id", where: "u.id = $1")
}

extension Users {
    static let isJustMade = Query(
        "user_is_just_made", .read,
        column(
            """
            EXISTS (SELECT FROM users
                    WHERE id = $1 AND created_at > now() - interval '1 minute')
            """, Bool.self)
    )

    static let nameIsFree = Query(
        "username_is_free", .read,
        column(
            """
            NOT EXISTS (SELECT FROM users WHERE username = $1)
            AND NOT EXISTS (SELECT FROM users
                            WHERE lookalike(username) = lookalike($1) AND NOT may_look_alike)
            AND NOT is_username_reserved($1, NULL)
            """, Bool.self),
        unfiltered: "A username is taken, no matter whose it is."
    )
}
