public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    /// Releases a former username, which then leads nowhere. If the user doesn't have it, this
    /// succeeds, too.
    public func giveUp(formerUsername: String, of userID: UUID) async throws(PostgresError) {
        try await database.query(Users.giveUp, [.text(formerUsername), .uuid(userID)])
    }

    /// Makes a user with an unlisted list for a new subject. The username, which is also the display
    /// name, is the first available one of those that `suggestion` returns, for 0, 1, 2, 3 and then
    /// random numbers.
    ///
    /// Concurrent callers with the same subject get the same user.
    public func makeUser(
        issuer: String, subject: String, admission: Admission = Admission(),
        suggestion: @Sendable (Int) -> Username
    ) async throws -> User {
        for attempt in 0..<1000 {
            // After the first few, the numbers are random: a thousand people must not each try all
            // of them.
            let number = attempt < 4 ? attempt : Int.random(in: 10...999_999)
            let username = suggestion(number)
            let user = try await makeUser(
                issuer: issuer, subject: subject, username: username,
                displayName: username.description, visibility: .unlisted,
                admission: admission)
            if let user { return user }
        }
        throw PostgresError(.unexpectedResult, detail: "no free username")
    }

    /// Makes a user for a new subject. If the subject already has a user, that user is returned.
    ///
    /// - Parameter displayName: 1 to `DisplayName.limit` characters.
    /// - Returns: `nil` if the username is taken, or too similar to a taken one.
    /// - Throws: `InvitationInvalidError`, `PostgresError`.
    public func makeUser(
        issuer: String, subject: String, username: Username, displayName: String,
        visibility: Visibility, admission: Admission = Admission()
    ) async throws -> User? {
        let parameters: [PostgresParameter] = [
            .text(issuer), .text(subject), .text(username.description), .text(displayName),
            .text(visibility.rawValue), .int(admission.parameter),
        ]
        do {
            return try await made(Users.makeWithIdentity, parameters, admission)
        } catch let error as PostgresError where error.constraint == "identities_pkey" {
            if let user = try await user(issuer: issuer, subject: subject) { return user }
            throw error
        }
    }
}

extension Users {
    static let giveUp = Statement(
        "give_up_username", .write,
        "DELETE FROM former_usernames WHERE username = $1 AND user_id = $2")

    /// Returns the user that a table expression, named `u`, has just made.
    static func made(_ name: String, _ expression: String) -> Query<User> {
        Query(name, .write, User.columns) {
            """
            WITH \(expression)
            SELECT \($0) FROM u CROSS JOIN (VALUES (NULL::timestamptz)) AS l (updated_at)
            """
        }
    }

    /// Returns no row if the username is taken or reserved, or too similar to such a one. Violates
    /// `identities_pkey` if the subject is already known.
    static let makeWithIdentity = made(
        "make_user",
        """
        u AS (
            INSERT INTO users (username, display_name, visibility, new_until)
            SELECT $3, $4, $5, now() + $6::integer * interval '1 hour'
            WHERE NOT is_username_reserved($3, NULL)
            ON CONFLICT DO NOTHING
            RETURNING *
        ), identity AS (
            INSERT INTO identities (issuer, subject, user_id) SELECT $1, $2, id FROM u
        )
        """)
}
