import FaveGames
import HTTP
import Identity
import JSON
import Storage

/// Oneself: whom the token speaks for.
enum MeAPI {
    static func show(_ call: Call) async throws -> Response {
        let user = try await call.user()
        return response(user)
    }

    private static func response(_ user: User) -> Response { Response.json { $0.ownUser(user) } }

    /// Changes what is given.
    static func change(_ call: Call) async throws -> Response {
        let user = try await call.user()
        var reader = JSONObjectReader(try call.json())
        let changes = ProfileChanges(
            username: reader.optional("username", Username.rule) { Username($0) },
            displayName: reader.optional("displayName", DisplayName.rule) { DisplayName($0) },
            bio: reader.optional("bio", Bio.rule) { Bio($0) },
            visibility: reader.optional("visibility", "must be public, unlisted or private") {
                Visibility(rawValue: $0)
            })
        try reader.finish()
        let changed = try await call.services.accounts.change(user, changes) { current in
            try call.check(response(current))
        }
        return response(changed).tagged
    }

    /// Sets or changes the password, which ends all sessions.
    static func changePassword(_ call: Call) async throws -> Response {
        let user = try await call.user()
        var reader = JSONObjectReader(try call.json())
        let current = reader.optionalString("currentPassword")
        let new = reader.string("newPassword")
        try reader.finish()
        _ = try await call.services.accounts.changePassword(
            of: user, from: current ?? "", to: new ?? "", mayBeFirst: false,
            address: call.client.networkName)
        return Response(status: .noContent)
    }

    /// Signs out everywhere, here too.
    static func endSessions(_ call: Call) async throws -> Response {
        try await call.services.store.endSessions(userID: call.user().id)
        return Response(status: .noContent)
    }

    static func export(_ call: Call) async throws -> Response {
        try await call.export(of: call.user())
    }

    /// Deletes the account. `?username=` confirms that it is meant, and a body with the password
    /// that it is the owner, if the account has one.
    static func delete(_ call: Call) async throws -> Response {
        let user = try await call.user()
        guard Username(call.query["username"] ?? "")?.description == user.username else {
            throw Problem.badRequest(
                "To delete the account and everything of it, confirm with \"?username=\(user.username)\"."
            )
        }
        var password = ""
        if !call.request.body.isEmpty {
            var reader = JSONObjectReader(try call.json())
            password = reader.optionalString("password") ?? ""
            try reader.finish()
        }
        try call.check(response(user))
        try await call.services.accounts.delete(
            user, password: password, address: call.client.networkName)
        return Response(status: .noContent)
    }
}
