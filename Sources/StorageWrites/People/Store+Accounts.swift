public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    // MARK: Passwords

    /// Makes a user with a password. The display name is the username.
    ///
    /// - Returns: `nil` if the username is taken or reserved, or too similar to such a one.
    /// - Throws: `InvitationInvalidError`.
    public func makeUser(
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

    /// Sets a password and ends all sessions of the user.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    public func setPassword(hash: String, confirmedBy confirmation: Confirmation) async throws {
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
    public func renewPasswordHash(
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
    public func change(
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
    public func deleteUser(confirmedBy confirmation: Confirmation) async throws {
        let user = PostgresParameter.uuid(confirmation.userID)
        _ = try await confirmed(
            by: confirmation, lockingList: true, telling: nil
        ) { transaction in
            try await transaction.query(MailQueries.tellOfDeletion, [user])
            return try await transaction.query(Users.delete, [user])
        }
    }
}

extension Users {
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
                                     WHEN false THEN NULL ELSE next_snapshot_year END,
                language       = CASE WHEN $8::boolean THEN $9 ELSE language END
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

extension ProfileChanges {
    /// The parameters of `Users.change`.
    func parameters(of userID: UUID) -> [PostgresParameter] {
        [
            .uuid(userID), .text(username?.description), .text(displayName?.text),
            .text(bio?.text), .text(visibility?.rawValue), .bool(showsRatings),
            .bool(takesYearlySnapshots), .bool(language != nil), .text(language ?? nil),
        ]
    }
}

extension UsernameTakenError {
    /// - Returns: `nil` if the error has another cause.
    init?(_ error: PostgresError) {
        let constraints = [
            "users_username_key", "users_lookalike_key", "users_username_reserved",
        ]
        guard let constraint = error.constraint, constraints.contains(constraint) else {
            return nil
        }
        self.init()
    }
}

extension Admission {
    /// The hours as a parameter of `Users.newUntil`.
    var parameter: Int? { delayHours > 0 ? delayHours : nil }
}
