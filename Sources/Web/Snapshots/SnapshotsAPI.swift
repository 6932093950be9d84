import Actions
import Endpoints
import FaveGames
import HTTPTypes
import Storage
import Views

/// Lists as they were when their owners took snapshots of them.
enum SnapshotsAPI {
    private static let own = "/api/v1/me/snapshots"

    /// The largest number that the description promises: those that people take, and the yearly ones.
    private static let limit = 200

    static let routes = [
        Route(
            .get, "/api/v1/users/{username}/snapshots",
            .api(
                "listSnapshots", .users, "List a user's snapshots",
                "Those who can get the user's list can get its snapshots, and no one else."
            ),
            takes: .username,
            returns: .json(
                ofUser, "The snapshots.", mayMove: true,
                isIndexed: { $0.owner.isPublic })
        ) { context, username in try await lists(context, username) },

        Route(
            .get, "/api/v1/users/{username}/snapshots/{snapshot}",
            .api(
                "getSnapshot", .users, "Get a snapshot",
                "A rating is there if others could see the user's ratings then, and can now."),
            takes: .username, .snapshotSlug,
            returns: .json(
                V1.snapshot, "The snapshot.", mayMove: true,
                isIndexed: { @Sendable snapshot in snapshot.owner.isPublic })
        ) { context, username, slug in
            try await context.snapshot(of: username, slug, seenBy: nil) {
                "/api/v1/users/\($0)/snapshots/\($1)"
            }
        },

        Route(
            .get, own, .api("listMySnapshots", .myList, "List the snapshots of the current user"),
            takes: .user(.read),
            returns: .array(
                "snapshots", of: V1.snapshotSummary, "The latest first.", atMost: limit,
                "The snapshots.")
        ) { context, user in try await context.services.store.snapshots(userID: user.id) },

        Route(
            .post, own,
            .api(
                "takeSnapshot", .myList, "Take a snapshot of the list",
                "A snapshot doesn't change and can't be renamed. A user can have "
                    + "\(Snapshot.limit) of them, besides the yearly ones."),
            takes: .user(.writeList), .json(NewSnapshot.self),
            returns: .created(V1.snapshot, "The snapshot.") { "\($0.summary.slug)" },
            fails: [.conflict, .unprocessableContent]
        ) { context, user, new in
            try await context.snapshots.take(of: user, title: new.title)
        },

        Route(
            .get, "\(own)/{snapshot}",
            .api("getMySnapshot", .myList, "Get a snapshot of the current user"),
            takes: .user(.read), .snapshotSlug, returns: .json(V1.snapshot, "The snapshot.")
        ) { context, user, slug in try await mine(context, user, slug) },

        Route(
            .delete, "\(own)/{snapshot}",
            .api(
                "deleteSnapshot", .myList, "Delete a snapshot",
                "This can't be undone. Succeeds for one that the user doesn't have, too."),
            takes: .user(.writeList), .snapshotSlug, returns: .noContent
        ) { context, user, slug in
            try await context.snapshots.delete(slug, of: user)
        },
    ]

    private static func lists(_ context: RequestContext, _ username: Username) async throws -> Found
    {
        let name = username.description
        guard let found = try await context.services.store.snapshots(username: name, seenBy: nil)
        else {
            throw try await context.moved(from: username) { "/api/v1/users/\($0)/snapshots" }
        }
        return Found(owner: found.owner, lists: found.lists)
    }

    private static func mine(
        _ context: RequestContext, _ user: User, _ slug: SnapshotSlug
    ) async throws -> Snapshot {
        guard let snapshot = try await context.services.store.snapshot(userID: user.id, slug: slug)
        else { throw Problem.noSnapshot }
        return snapshot
    }

    private struct Found: Sendable {
        let owner: User
        let lists: [SnapshotSummary]
    }

    private static let ofUser = ObjectRepresentation<Found>(
        nil, nil,
        [
            .init("user", V1.person) { V1.Person($0.owner) },
            .init(
                "snapshots", .array(of: V1.snapshotSummary, atMost: limit), "The latest first."
            ) { $0.lists },
        ])

    struct NewSnapshot: RequestBody {
        let title: SnapshotTitle

        init?(from reader: inout JSONObjectReader) {
            title =
                reader.optional(
                    "title",
                    .parsed(V1.snapshotTitle, .mustHave(1, to: SnapshotTitle.limit)) {
                        SnapshotTitle($0)
                    },
                    "1 to \(SnapshotTitle.limit) characters on one line; “My five” and the year if omitted."
                ) ?? .suggested
        }
    }
}
