import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Languages
import Storage

enum V0UsersAPI {
    private static let limit = 20

    static let routes = [
        Route(
            .get, "/api/v0/users", .v0("v0SearchUsers", "Search users by name or username"),
            takes: .requiredSearch,
            returns: .array(
                of: V0.user, "The users found.", atMost: limit,
                "Users with public lists, at most \(limit).")
        ) { context, search in
            try await context.services.store.users(matching: search, limit: limit)
        },

        Route(
            .get, "/api/v0/users/me", .v0("v0GetMe", "Get the current user"),
            takes: .user(.read), returns: .json(V0.user, "The token's user.")
        ) { _, user in user },

        Route(
            .get, "/api/v0/users/{user}", .v0("v0GetUser", "Get a user", viewerNote),
            takes: .user("user"), .viewer,
            returns: .json(
                V0.user, "The user.", isIndexed: { @Sendable user in user.isPublic }),
            handler: user),
    ]

    @Sendable private static func user(
        _ context: RequestContext, digest: UserDigest, viewer: TokenViewer
    ) async throws -> User {
        try await viewer.find { viewer in
            try await context.services.store.user(digest: digest.text, seenBy: viewer)
        }
    }

    static let viewerNote = "The token is only used for lists that are not public."
}

extension Input where Value == UserDigest {
    /// - Parameter name: The parameter's name in the pattern.
    static func user(_ name: String) -> Self {
        .path(
            name, noun: "user", "The user's “userId”.",
            .text(64...64, pattern: "^[0-9a-f]{64}$", example: Example.digest)
        ) { UserDigest($0) }
    }
}

extension TokenViewer {
    /// Finds something that belongs to a user: as everyone may see it, or else as this user may.
    ///
    /// - Throws: 404 if there is nothing to see.
    func find<Value>(_ find: (_ viewer: UUID?) async throws -> Value?) async throws -> Value {
        if let value = try await find(nil) { return value }
        if let id = try await id(), let value = try await find(id) { return value }
        throw Problem.notFound(.english("There is no such user."))
    }
}
