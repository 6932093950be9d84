import FaveGames
import Foundation
import Postgres

/// A user and the hash of their password, if they have one. Must never be logged.
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
    public var keepsYears: Bool?

    public init(
        username: Username? = nil, displayName: DisplayName? = nil, bio: Bio? = nil,
        visibility: Visibility? = nil, showsRatings: Bool? = nil,
        keepsYears: Bool? = nil
    ) {
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.visibility = visibility
        self.showsRatings = showsRatings
        self.keepsYears = keepsYears
    }

    /// Those of `Users.change`.
    func parameters(of userID: UUID) -> [PostgresParameter] {
        [
            .uuid(userID), .text(username?.description), .text(displayName?.text),
            .text(bio?.text), .text(visibility?.rawValue), .bool(showsRatings),
            .bool(keepsYears),
        ]
    }
}

/// The username is taken, or too similar to a taken one.
public struct UsernameTakenError: Error, Hashable, Sendable {
    public init() {}

    /// - Returns: `nil` if the error has another cause.
    init?(_ error: PostgresError) {
        guard ["users_username_key", "users_lookalike_key"].contains(error.constraint) else {
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
    /// - Returns: `nil` if the username is taken, or too similar to a taken one.
    /// - Throws: `InvitationInvalidError`.
    public func makeUser(
        username: Username, passwordHash: String, admission: Admission = Admission(),
        keeping: AnswerKeeping<User>? = nil
    ) async throws -> User? {
        let parameters = Users.makeWithPassword(username, passwordHash, admission)
        guard keeping != nil || admission.invitation != nil else {
            return try await user(Users.makeWithPassword, parameters)
        }
        return try await admitted(admission, keeping: keeping) { transaction in
            try await transaction.query(Users.makeWithPassword, parameters).first
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
    public func setPassword(
        hash: String, confirmedBy confirmation: Confirmation
    ) async throws {
        let user = PostgresParameter.uuid(confirmation.userID)
        _ = try await confirmed(by: confirmation, telling: .password) { transaction in
            try await transaction.query(Passwords.set, [user, .text(hash)])
            try await transaction.query(Sessions.endAll, [user])
            return try await transaction.query(Recovery.forgetPendingAddress, [user])
        }
    }

    /// Replaces a hash with one of the same password that has other costs.
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
            try await transaction.query(Mail.tellOfDeletion, [user])
            return try await transaction.query(Users.delete, [user])
        }
    }

    /// Everything that is stored about a user, as one JSON document.
    public func export(userID: UUID) async throws(PostgresError) -> String? {
        try await database.query(Users.export, [.uuid(userID)]).first
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
    ) { "SELECT \($0)" }

    static let makeWithPassword = made(
        "make_user_with_password",
        """
        u AS (
            INSERT INTO users (username, display_name, new_until)
            VALUES ($1, $1, now() + $3::integer * interval '1 hour')
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
            NOT EXISTS (SELECT FROM users WHERE username = $1)
            AND NOT EXISTS (SELECT FROM users
                            WHERE lookalike(username) = lookalike($1) AND NOT may_look_alike)
            """, Bool.self)
    ) { "SELECT \($0)" }

    private static let thisYear = "extract(year FROM now() AT TIME ZONE 'UTC')"

    static let change = Query("change_user", .write, User.columns) {
        """
        WITH u AS (
            UPDATE users
            SET username       = coalesce($2, username),
                may_look_alike = may_look_alike AND coalesce($2, username) = username,
                display_name   = coalesce($3, display_name),
                bio            = coalesce($4, bio),
                -- While a moderator hides the list, the wish is only noted.
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

    private static func utc(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }

    /// The username of someone else if their list is public.
    private static func publicName(_ user: String) -> String {
        "CASE WHEN audience_of(\(user).visibility, \(user).disabled_at, \(user).new_until) = 'public' "
            + "THEN \(user).username END"
    }

    /// The schema of this document is in the API's description.
    static let export = Query("export_user", .longRead, column(exported, String.self)) {
        "SELECT \($0) FROM \(User.tables) WHERE u.id = $1"
    }

    private static let exported = """
        json_build_object(
            'exportedAt', \(utc("now()")),
            'user', json_build_object(
                'id', u.id,
                'username', u.username,
                'formerUsernames', (
                    SELECT coalesce(json_agg(f.username ORDER BY f.left_at), '[]')
                    FROM former_usernames f WHERE f.user_id = u.id),
                'displayName', u.display_name,
                'bio', u.bio,
                'visibility', u.visibility,
                'showsRatings', u.shows_ratings,
                'keepsYears', u.next_snapshot_year IS NOT NULL,
                'role', u.role,
                'createdAt', \(utc("u.created_at")),
                'disabledAt', \(utc("u.disabled_at"))),
            'list', json_build_object(
                'updatedAt', \(utc("l.updated_at")),
                'entries', (
                    SELECT coalesce(json_agg(json_build_object(
                        'id', e.id,
                        'position', e.position,
                        'gameId', e.game_id,
                        'game', g.name,
                        'platformId', e.platform_id,
                        'platform', p.name,
                        'comment', e.comment,
                        'rating', e.rating,
                        'tags', e.tags,
                        'createdAt', \(utc("e.created_at")),
                        'updatedAt', \(utc("e.updated_at"))) ORDER BY e.position), '[]')
                    FROM entries e
                    JOIN games g ON g.id = e.game_id
                    JOIN platforms p ON p.id = e.platform_id
                    WHERE e.user_id = u.id)),
            'keptLists', (
                SELECT coalesce(json_agg(json_build_object(
                    'slug', k.slug,
                    'title', k.title,
                    'keptAt', \(utc("k.taken_at")),
                    'showedRatings', k.shows_ratings,
                    'entries', (
                        SELECT json_agg(json_build_object(
                            'position', e.position,
                            'gameId', e.game_id,
                            'game', g.name,
                            'platformId', e.platform_id,
                            'platform', p.name,
                            'comment', e.comment,
                            'isCommentHidden', e.hidden_by IS NOT NULL,
                            'rating', e.rating,
                            'tags', e.tags) ORDER BY e.position)
                        FROM snapshot_entries e
                        JOIN games g ON g.id = e.game_id
                        JOIN platforms p ON p.id = e.platform_id
                        WHERE e.snapshot_id = k.id)) ORDER BY k.taken_at, k.id), '[]')
                FROM snapshots k WHERE k.user_id = u.id),
            'password', (
                SELECT json_build_object('changedAt', \(utc("p.changed_at")))
                FROM passwords p WHERE p.user_id = u.id),
            'mailAddress', (
                SELECT address FROM mail_addresses m WHERE m.user_id = u.id),
            'pendingMailAddress', (
                SELECT address FROM mail_verifications m WHERE m.user_id = u.id),
            'notices', (
                SELECT coalesce(json_agg(json_build_object(
                    'act', a.action,
                    'doneAt', \(utc("a.done_at")),
                    'reason', a.reason,
                    'comment', h.comment,
                    'circle', c.name) ORDER BY a.id), '[]')
                FROM moderation_actions a
                LEFT JOIN hidden_comments h ON h.action_id = a.id
                LEFT JOIN hidden_circles c ON c.action_id = a.id
                WHERE a.user_id = u.id AND a.action <> 'dismiss'),
            'reports', (
                SELECT coalesce(json_agg(json_build_object(
                    'reason', r.reason,
                    'note', r.note,
                    'madeAt', \(utc("r.made_at"))) ORDER BY r.made_at), '[]')
                FROM reports r WHERE r.reporter_id = u.id),
            'invitations', (
                SELECT coalesce(json_agg(json_build_object(
                    'uses', i.uses,
                    'usesLeft', i.uses_left,
                    'createdAt', \(utc("i.created_at")),
                    'expiresAt', \(utc("i.expires_at"))) ORDER BY i.created_at), '[]')
                FROM invitations i WHERE i.user_id = u.id),
            'following', (
                SELECT coalesce(json_agg(json_build_object(
                    'username', \(publicName("o")),
                    'followedAt', \(utc("f.followed_at"))) ORDER BY f.followed_at, o.id), '[]')
                FROM follows f JOIN users o ON o.id = f.followed_id
                WHERE f.follower_id = u.id),
            'followers', (
                SELECT coalesce(json_agg(json_build_object(
                    'username', \(publicName("o")),
                    'followedAt', \(utc("f.followed_at"))) ORDER BY f.followed_at, o.id), '[]')
                FROM follows f JOIN users o ON o.id = f.follower_id
                WHERE f.followed_id = u.id),
            'followFeed', (
                SELECT json_build_object('madeAt', \(utc("f.made_at")))
                FROM follow_feeds f WHERE f.user_id = u.id),
            'hearts', (
                SELECT coalesce(json_agg(json_build_object(
                    'entryId', CASE WHEN e.audience = 'public' THEN e.id END,
                    'game', CASE WHEN e.audience = 'public' THEN g.name END,
                    'username', CASE WHEN e.audience = 'public' THEN o.username END,
                    'givenAt', \(utc("h.given_at"))) ORDER BY h.given_at, e.id), '[]')
                FROM hearts h
                JOIN entries e ON e.id = h.entry_id
                JOIN games g ON g.id = e.game_id
                JOIN users o ON o.id = e.user_id
                WHERE h.user_id = u.id),
            'circles', (
                SELECT coalesce(json_agg(json_build_object(
                    'id', c.id,
                    'name', c.name,
                    'description', c.description,
                    'visibility', c.visibility,
                    'role', CASE WHEN m.owned IS NULL THEN 'member' ELSE 'owner' END,
                    'createdAt', \(utc("c.created_at")),
                    'joinedAt', \(utc("m.joined_at")),
                    'invitations', (
                        SELECT coalesce(json_agg(json_build_object(
                            'uses', i.uses,
                            'usesLeft', i.uses_left,
                            'createdAt', \(utc("i.created_at")),
                            'expiresAt', \(utc("i.expires_at"))) ORDER BY i.created_at), '[]')
                        FROM circle_invitations i
                        WHERE i.circle_id = c.id AND m.owned IS NOT NULL)
                    ) ORDER BY m.joined_at), '[]')
                FROM circle_members m JOIN circles c ON c.id = m.circle_id
                WHERE m.user_id = u.id),
            'passkeys', (
                SELECT coalesce(json_agg(json_build_object(
                    'name', k.name,
                    'createdAt', \(utc("k.created_at")),
                    'usedAt', \(utc("k.used_at"))) ORDER BY k.created_at), '[]')
                FROM passkeys k WHERE k.user_id = u.id),
            'import', (
                SELECT json_build_object(
                    'fileName', i.file_name,
                    'madeAt', \(utc("i.made_at")),
                    'rows', (
                        SELECT coalesce(json_agg(json_build_object(
                            'line', r.line,
                            'name', r.name,
                            'namedId', r.named_id,
                            'platforms', r.named_platforms,
                            'releaseYear', r.release_year,
                            'score', r.score,
                            'rating', r.rating,
                            'comment', r.comment,
                            'tags', r.tags,
                            'shelf', r.shelf,
                            'date', r.dated,
                            'finding', r.finding,
                            'gameId', r.game_id,
                            'platformId', r.platform_id) ORDER BY r.place), '[]')
                        FROM import_rows r WHERE r.import_id = i.id))
                FROM imports i WHERE i.user_id = u.id),
            'identities', (
                SELECT coalesce(json_agg(json_build_object(
                    'issuer', i.issuer,
                    'subject', i.subject,
                    'linkedAt', \(utc("i.linked_at"))) ORDER BY i.linked_at), '[]')
                FROM identities i WHERE i.user_id = u.id),
            'sessions', (
                SELECT coalesce(json_agg(json_build_object(
                    'kind', s.kind,
                    'device', s.device,
                    'network', s.network::text,
                    'createdAt', \(utc("s.created_at")),
                    'seenAt', \(utc("s.seen_at")),
                    'expiresAt', \(utc("s.expires_at"))) ORDER BY s.created_at), '[]')
                FROM sessions s WHERE s.user_id = u.id),
            'tokens', (
                SELECT coalesce(json_agg(json_build_object(
                    'name', t.name,
                    'scopes', t.scopes,
                    'createdAt', \(utc("t.created_at")),
                    'expiresAt', \(utc("t.expires_at")),
                    'usedAt', \(utc("t.used_at"))) ORDER BY t.created_at), '[]')
                FROM personal_tokens t WHERE t.user_id = u.id)
        )::text
        """
}

enum Passwords {
    /// The password stays the same, and so does the time of its last change.
    static let renewHash = Statement(
        "renew_password_hash", .write,
        "UPDATE passwords SET hash = $2 WHERE user_id = $1 AND hash = $3 RETURNING true")

    /// For after `Users.lock`: sets the password whatever the old one was. Whoever knew that may have signed
    /// in with browsers of their own, which then guess apart from others, so all browsers are forgotten.
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
