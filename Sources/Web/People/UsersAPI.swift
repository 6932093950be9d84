import Endpoints
import FaveGames
import HTTPTypes
import Identity
import Languages
import Storage
import Views

enum UsersAPI {
    static let routes = [
        Route(
            .get, "/api/v1/users",
            .api("searchUsers", .users, "Search users by name or username"),
            takes: .requiredSearch, .limit,
            returns: .array(
                "users", of: V1.user, "The users found.", atMost: 100,
                "Users with public lists, the best matches first.")
        ) { context, search, limit in
            try await context.services.store.users(matching: search.ofPeople, limit: limit)
        },

        Route(
            .post, "/api/v1/users",
            .api(
                "signUp", .users, "Sign up",
                "Creates an account with a password, if the operator allows people to sign up. "
                    + "To sign in, send another request to /api/v1/sessions."),
            takes: .json(NewUser.self),
            returns: .created(V1.ownUser, "The new account. Sign in next.") { $0.username },
            fails: [
                .signUpClosed, .invitationRequired, .invalidInvitation, .noLocalAccounts,
                .usernameTaken, .unprocessableContent, .weakPassword, .tooManyAttempts,
            ], costs: .dear
        ) { context, user in
            try await context.services.accounts.signUp(
                user.username, password: user.password, invitation: user.invitation,
                from: context.client.networkName
            ).user
        },

        Route(
            .get, "/api/v1/users/{username}", .api("getUser", .users, "Get a user"),
            takes: .username,
            returns: .json(
                V1.user, "The user.", mayMove: true,
                isIndexed: { @Sendable user in user.isPublic })
        ) { context, username in
            let name = username.description
            guard let user = try await context.services.store.user(username: name, seenBy: nil)
            else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)" }
            }
            return user
        },

        Route(
            .get, "/api/v1/users/{username}/list",
            .api(
                "getList", .users, "Get a user's list",
                "Anyone who knows the username can get an unlisted list; private lists are never "
                    + "returned here."),
            takes: .username,
            returns: .json(
                V1.list, "The list.", mayMove: true,
                isIndexed: { @Sendable list in list.owner.isPublic })
        ) { context, username in
            guard let list = try await context.list(of: username) else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)/list" }
            }
            return list
        },

        Route(
            .get, "/api/v1/users/{username}/similar",
            .api(
                "listSimilar", .users, "List the people whose lists overlap most with a user's",
                "Those that share the most games come first. Only public lists are found."),
            takes: .username, .limit(1...24, default: 24),
            returns: .json(
                similar, "The lists, without their comments.", mayMove: true),
            costs: .dear
        ) { context, username, limit in
            guard let list = try await context.list(of: username) else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)/similar" }
            }
            return try await context.services.store.similarLists(list, limit: limit)
        },

        Route(
            .get, "/api/v1/users/{username}/shared",
            .api(
                "getShared", .users, "Compare a user's list with one's own",
                "What both have in common, and what the current user might like."),
            takes: .user(.read), .username,
            returns: .json(V1.sharedTaste, "What the lists share.", mayMove: true)
        ) { context, user, username in
            guard let list = try await context.list(of: username) else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)/shared" }
            }
            let own = try await context.services.store.list(userID: user.id)
            return SharedTaste(
                own: own?.entries.map(\.game) ?? [], theirs: list.entries.map(\.game))
        },

        Route(
            .get, "/api/v1/lists",
            .api(
                "listRecentLists", .users, "List the lists that changed last",
                "Public lists, the latest first. Empty lists are left out."),
            takes: .limit(1...50, default: 6), .cursor(InclusionCursor.self),
            returns: .page(
                "A page of lists.", to: InclusionCursor.self,
                [
                    .init("lists", .array(of: V1.listSummary, atMost: 50), "The lists.") { $0 }
                ])
        ) { context, limit, cursor in
            let page = try await context.services.store.recentLists(limit: limit, at: cursor)
            return .init(page: page.lists, next: page.next, previous: page.previous)
        },
    ]

    private static let similar = ObjectRepresentation<[SimilarList]>(
        nil, nil,
        [
            .init(
                "lists", .array(of: V1.similarList, atMost: 24),
                "Those that share the most games first."
            ) { $0 }
        ])

    struct NewUser: RequestBody {
        let username: Username
        let password: String
        let invitation: SecretToken?

        init?(from reader: inout JSONObjectReader) {
            self.init(from: &reader, checksPassword: false)
        }

        /// - Parameter checksPassword: Whether a weak password is noted with what else is wrong. The
        ///   API has a problem of its own for it.
        init?(from reader: inout JSONObjectReader, checksPassword: Bool) {
            invitation = reader.optional(
                "invitation",
                .parsed(.token, .english("This is no invitation.")) { SecretToken($0) },
                "The token of an invitation, if people need one: the parameter in its link.")
            let username = reader.required(
                "username", .username,
                "\(Username.form) Capitals become lower case.")
            let password = reader.required("password", .newPassword, NewPassword.description)
            if checksPassword, let password {
                do throws(NewPassword.Weakness) {
                    _ = try NewPassword(password, for: username?.description ?? "")
                } catch {
                    reader.note("password", .refused, error.words)
                }
            }
            guard let username, let password else { return nil }
            self.username = username
            self.password = password
        }
    }
}
