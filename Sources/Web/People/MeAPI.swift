import Actions
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Identity
import JSON
import Languages
import Storage
import Views

/// The current user: the one the token belongs to.
enum MeAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me", .api("getMe", .me, "Get the current user"),
            takes: .user(.read), returns: .json(V1.ownUser, "The token's user.")
        ) { _, user in user },

        Route(
            .patch, "/api/v1/me",
            .api(
                "changeMe", .me, "Change the current user's profile",
                "Omitted members stay as they are."),
            takes: .user(.account), .ifMatch, .json(Changes.self), returns: .changed(V1.ownUser),
            fails: [.usernameTaken, .conflict, .unprocessableContent, .tooManyAttempts]
        ) { context, user, conditions, body in
            let changes = try body.changes(of: user, context.services.settings.languages)
            return try await context.profiles.change(user, changes) { current in
                try conditions.check(.json(current, V1.ownUser, for: context.addresses))
            }
        },

        Route(
            .delete, "/api/v1/me",
            .api(
                "deleteMe", .me, "Delete the account and everything in it",
                "This can't be undone. Needs the access token of a session and the password. An "
                    + "account without a password needs a sign-in within the last ten minutes."),
            takes: .bearer(.session), .confirmation, .ifMatch,
            .optionalJSON(Deletion.self, "Required if the account has a password."),
            returns: .noContent, fails: [.conflict] + ProblemKind.ofConfirming, costs: .dear
        ) { context, bearer, confirmation, conditions, body in
            let user = bearer.user
            guard Username(confirmation ?? "")?.description == user.username else {
                throw Problem.invalidParameter(
                    "username",
                    "To delete the account and everything in it, confirm with \"?username=\(user.username)\"."
                )
            }
            try conditions.check(.json(user, V1.ownUser, for: context.addresses))
            try await context.services.accounts.delete(
                bearer, password: body?.password ?? "", address: context.client.networkName)
        },

        Route(
            .get, "/api/v1/me/former-usernames",
            .api(
                "listFormerUsernames", .me, "List the user's former usernames",
                "Those that still lead to the user, the latest first."),
            takes: .user(.account),
            returns: .array(
                "usernames", of: TextRepresentation(schema: .username), "The former usernames.",
                atMost: 10, "The former usernames.")
        ) { context, user in try await context.services.store.formerUsernames(userID: user.id) },

        Route(
            .delete, "/api/v1/me/former-usernames/{username}",
            .api(
                "giveUpUsername", .me, "Give up a former username",
                "It then leads nowhere, and anyone can take it. Succeeds for a username that is not "
                    + "among them, too."),
            takes: .user(.account), .username, returns: .noContent
        ) { context, user, name in
            try await context.profiles.giveUp(name, by: user)
        },

        Route(
            .put, "/api/v1/me/password",
            .api(
                "changePassword", .me, "Change the password",
                "Ends all sessions, including this one. The first password of an account can only "
                    + "be set on the site."),
            takes: .bearer(.session), .json(PasswordChange.self), returns: .noContent,
            fails: [.conflict, .weakPassword, .passwordNotSet, .noLocalAccounts]
                + ProblemKind.ofConfirming,
            costs: .dear
        ) { context, bearer, change in
            _ = try await context.services.accounts.changePassword(
                of: bearer, from: change.current, to: change.new,
                address: context.client.networkName)
        },

        Route(
            .get, "/api/v1/me/sessions",
            .api(
                "listSessions", .me, "List where the user is signed in",
                "The open sessions in browsers and through the API, the last used first."),
            takes: .user(.account),
            returns: .array(
                "sessions", of: V1.session, "The sessions.", atMost: 100, "The open sessions.")
        ) { context, user in try await context.services.store.sessions(userID: user.id) },

        Route(
            .delete, "/api/v1/me/sessions/{session}",
            .api(
                "endSession", .me, "Sign out in one place",
                "Succeeds for a session that the user doesn't have, too."),
            takes: .user(.account), .session, returns: .noContent
        ) { context, user, session in
            try await context.services.accounts.endSession(session, of: user)
        },

        Route(
            .delete, "/api/v1/me/sessions", .api("endSessions", .me, "Sign out everywhere"),
            takes: .user(.account), returns: .noContent
        ) { context, user in try await context.services.accounts.endSessions(of: user) },

        Route(
            .get, "/api/v1/me/export", .api("exportMe", .me, "Get everything held about the user"),
            takes: .user(.account),
            returns: .response(
                .json(
                    "One document, as a file.", PersonalExport.document.schema,
                    fields: [.contentDisposition])),
            fails: [.notFound], caching: .never, costs: .export
        ) { context, user in try await context.export(of: user) },
    ]

    struct Changes: RequestBody {
        private let changes: ProfileChanges

        /// The changes to a user's profile.
        ///
        /// - Throws: 422 for a language that the site doesn't offer, unless it is the user's already.
        func changes(
            of user: User, _ languages: OfferedLanguages
        ) throws(Problem) -> ProfileChanges {
            guard case .some(.some(let tag)) = changes.language, tag != user.language else {
                return changes
            }
            guard let language = languages[tag] else {
                throw .invalidMembers([
                    MemberError(
                        pointer: "/language", .unknownValue,
                        detail: .english(
                            "This must be one of "
                                + languages.all.map(\.tag).joined(separator: ", ") + "."))
                ])
            }
            var changes = changes
            changes.language = language.tag
            return changes
        }

        init?(from reader: inout JSONObjectReader) {
            changes = ProfileChanges(
                username: reader.optional(
                    "username", .username,
                    "\(Username.form) The old one redirects for a while."),
                displayName: reader.optional(
                    "displayName", .displayName,
                    "1 to \(DisplayName.limit) characters on one line, once white space is collapsed."
                ),
                bio: reader.optional(
                    "bio", .bio,
                    "At most \(Bio.limit) characters on one line, once white space is collapsed. Empty removes it."
                ),
                visibility: reader.optional(
                    "visibility", .visibility, V1.visibilityText),
                showsRatings: reader.optional(
                    "showsRatings", .boolean(example: true),
                    "Whether others see the user's ratings."),
                takesYearlySnapshots: reader.optional(
                    "takesYearlySnapshots", .boolean(example: true),
                    "Whether a snapshot of the list is taken on every December 31st (UTC)."),
                language: reader.nullable(
                    "language", .text(.language),
                    "The language of pages for the user: the tag of one that the site offers. Null "
                        + "means what the browser asks for."))
            reader.ignore("id", "createdAt", "listUpdatedAt", "url")
        }
    }

    struct Deletion: RequestBody {
        let password: String?

        init?(from reader: inout JSONObjectReader) {
            password = reader.optional("password", .text(.password), "The account's password.")
        }
    }

    struct PasswordChange: RequestBody {
        let current: String
        let new: String

        init?(from reader: inout JSONObjectReader) {
            current =
                reader.optional(
                    "currentPassword", .text(.password), "The current password.") ?? ""
            let new = reader.required("newPassword", .newPassword, NewPassword.description)
            guard let new else { return nil }
            self.new = new
        }
    }
}

extension Input where Value == String? {
    fileprivate static var confirmation: Self {
        .query(
            "username", "The user's own username, as confirmation.",
            .newUsername.example("newcomer"), isRequired: true
        ) { $0 }
    }
}

extension Input where Value == UUID {
    static var session: Self {
        .id("session", "The session's id.", example: Example.user)
    }
}
