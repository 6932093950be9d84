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

    /// The parameters of `Users.change`.
    func parameters(of userID: UUID) -> [PostgresParameter] {
        [
            .uuid(userID), .text(username?.description), .text(displayName?.text),
            .text(bio?.text), .text(visibility?.rawValue), .bool(showsRatings),
            .bool(takesYearlySnapshots),
        ]
    }
}

/// The username is taken or reserved, or too similar to such a one.
public struct UsernameTakenError: Error, Hashable, Sendable {
    /// - Returns: `nil` if the error has another cause.
    init?(_ error: PostgresError) {
        let constraints = [
            "users_username_key", "users_lookalike_key", "users_username_reserved",
        ]
        guard let constraint = error.constraint, constraints.contains(constraint) else {
            return nil
        }
    }
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

    /// Makes a user with a password. The display name is the username.
    ///
    /// - Returns: `nil` if the username is taken or reserved, or too similar to such a one.
    /// - Throws: `InvitationInvalidError`.
    @_spi(Writing) public func makeUser(
        username: Username, passwordHash: String, admission: Admission = Admission()
    ) async throws -> User? {
        try await made(
            Users.makeWithPassword, Users.makeWithPassword(username, passwordHash, admission),
            admission)
    }

    /// Makes a user with a statement.
    ///
    /// - Returns: `nil` also if someone has only just left the username.
    func made(
        _ query: Query<User>, _ parameters: [PostgresParameter], _ admission: Admission
    ) async throws -> User? {
        do {
            guard admission.invitation != nil else { return try await user(query, parameters) }
            return try await admitted(admission) { transaction in
                try await transaction.query(query, parameters).first
            }
        } catch let error as PostgresError where UsernameTakenError(error) != nil {
            return nil
        }
    }

    /// Whether the username is available now.
    public func isFree(_ username: Username) async throws(PostgresError) -> Bool {
        try await database.row(Users.nameIsFree, [.text(username.description)])
    }

    /// Whether a user was made less than a minute ago.
    public func isJustMade(userID: UUID) async throws(PostgresError) -> Bool {
        try await database.row(Users.isJustMade, [.uuid(userID)])
    }

    /// Sets a password and ends all sessions of the user.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    @_spi(Writing) public func setPassword(
        hash: String, confirmedBy confirmation: Confirmation
    ) async throws {
        let user = PostgresParameter.uuid(confirmation.userID)
        _ = try await confirmed(by: confirmation, telling: .password) { transaction in
            try await transaction.query(Passwords.set, [user, .text(hash)])
            try await transaction.query(Sessions.endAll, [user])
            return try await transaction.query(Recovery.forgetPendingAddress, [user])
        }
    }

    /// Replaces a hash with one of the same password and with other costs.
    ///
    /// - Returns: `false`, with nothing changed, if the current hash is no longer `old`.
    @_spi(Writing) public func renewPasswordHash(
        userID: UUID, from old: String, to new: String
    ) async throws(PostgresError) -> Bool {
        try await !database.query(
            Passwords.renewHash, [.uuid(userID), .text(new), .text(old)]
        ).isEmpty
    }

    // MARK: The user's own account

    /// Changes a user's profile. A new visibility also adjusts included-by counts, in the same
    /// transaction.
    ///
    /// - Parameter condition: Receives the current user, and throws if they must not be changed.
    /// - Returns: `nil` if the user no longer exists.
    /// - Throws: `UsernameTakenError`, or any error that `condition` throws, with nothing changed.
    @_spi(Writing) public func change(
        userID: UUID, _ changes: ProfileChanges,
        if condition: @Sendable (User) throws -> Void = { _ in }
    ) async throws -> User? {
        do {
            return try await database.withTransaction(lockingListsOf: [userID]) { transaction in
                let found = try await transaction.query(Users.byID, [.uuid(userID)])
                guard let user = found.first else { return nil }
                try condition(user)
                return try await transaction.query(
                    Users.change, changes.parameters(of: userID)
                ).first
            }
        } catch let error as PostgresError {
            if let error = UsernameTakenError(error) { throw error }
            throw error
        }
    }

    /// Deletes a user and everything that belongs to them. Included-by counts are adjusted, and
    /// sessions end.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    @_spi(Writing) public func deleteUser(confirmedBy confirmation: Confirmation) async throws {
        let user = PostgresParameter.uuid(confirmation.userID)
        _ = try await confirmed(
            by: confirmation, lockingList: true, telling: nil
        ) { transaction in
            try await transaction.query(Mail.tellOfDeletion, [user])
            return try await transaction.query(Users.delete, [user])
        }
    }
}

private enum Accounts {
    private static func credentials(
        _ name: String, where condition: String
    ) -> Query<Credentials> {
        let columns = Columns(
            User.columns.expressions + ["p.hash"]
        ) { row throws(PostgresError) in
            try Credentials(user: row.next(User.columns), passwordHash: row.next())
        }
        return Query(name, .read, columns) {
            """
            SELECT \($0)
            FROM \(User.allTables) LEFT JOIN passwords p ON p.user_id = u.id
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

    static let makeWithPassword = made(
        "make_user_with_password",
        """
        u AS (
            INSERT INTO users (username, display_name, new_until)
            SELECT $1, $1, now() + $3::integer * interval '1 hour'
            WHERE NOT is_username_reserved($1, NULL)
            ON CONFLICT DO NOTHING
            RETURNING *
        ), password AS (
            INSERT INTO passwords (user_id, hash) SELECT id, $2 FROM u
        )
        """)

    /// The parameters of the statement of the same name.
    static func makeWithPassword(
        _ username: Username, _ passwordHash: String, _ admission: Admission = Admission()
    ) -> [PostgresParameter] {
        [.text(username.description), .text(passwordHash), .int(admission.parameter)]
    }

    static let nameIsFree = Query(
        "username_is_free", .read,
        column(
            """
            NOT EXISTS (SELECT FROM public.users WHERE username = $1)
            AND NOT EXISTS (SELECT FROM public.users
                            WHERE lookalike(username) = lookalike($1) AND NOT may_look_alike)
            AND NOT is_username_reserved($1, NULL)
            """, Bool.self)
    )

    private static let thisYear = "extract(year FROM now() AT TIME ZONE 'UTC')"

    static let change = Query("change_user", .write, User.columns) {
        """
        WITH u AS (
            UPDATE users
            SET username       = coalesce($2, username),
                may_look_alike = may_look_alike AND coalesce($2, username) = username,
                display_name   = coalesce($3, display_name),
                bio            = coalesce($4, bio),
                -- While a moderator hides the list, the requested visibility is only noted.
                visibility     = CASE WHEN hidden_visibility IS NULL
                                      THEN coalesce($5, visibility) ELSE visibility END,
                hidden_visibility = CASE WHEN hidden_visibility IS NOT NULL
                                         THEN coalesce($5, hidden_visibility) END,
                shows_ratings  = coalesce($6::boolean, shows_ratings),
                next_snapshot_year = CASE $7::boolean
                                     WHEN true THEN coalesce(next_snapshot_year, \(thisYear))
                                     WHEN false THEN NULL ELSE next_snapshot_year END
            WHERE id = $1
            RETURNING *
        )
        SELECT \($0) FROM u JOIN lists l ON l.user_id = u.id
        """
    }

    static let delete = Statement(
        "delete_user", .write, "DELETE FROM users WHERE id = $1")
}

enum Passwords {
    /// The password stays the same, and so does the time of its last change.
    static let renewHash = Statement(
        "renew_password_hash", .write,
        "UPDATE passwords SET hash = $2 WHERE user_id = $1 AND hash = $3 RETURNING true")

    /// For after `Users.lock`: sets the password regardless of the old one. All browsers are
    /// forgotten: anyone who knew the old password may have signed in with their own browsers,
    /// whose guesses would be counted separately.
    static let set = Statement(
        "set_password", .write,
        """
        WITH forgotten AS (
            DELETE FROM known_devices WHERE user_id = $1
        )
        INSERT INTO passwords (user_id, hash) VALUES ($1, $2)
        ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()
        """)
}
