import Endpoints
import FaveGames
import HTTPTypes
import Storage

/// Lists as they were when their owners kept them.
enum KeptListsAPI {
    private static let own = "/api/v1/me/kept-lists"

    /// The largest number that the description promises: those that people keep, and their years.
    private static let limit = 200

    static let routes = [
        Route(
            .get, "/api/v1/users/{username}/kept-lists",
            .api(
                "listKeptLists", .users, "List what a user has kept",
                "Those who can get the user's list can get what they have kept of it, and no one else."
            ),
            takes: .username,
            answers: .json(
                ofUser, "The kept lists.", mayMove: true,
                isIndexed: { $0.owner.isPublic })
        ) { call, username in try await lists(call, username) },

        Route(
            .get, "/api/v1/users/{username}/kept-lists/{kept}",
            .api(
                "getKeptList", .users, "Get a list that a user has kept",
                "A rating is there if others could see the user's ratings then, and can now."),
            takes: .username, .keptSlug,
            answers: .json(
                V1.keptList, "The kept list.", mayMove: true,
                isIndexed: { @Sendable kept in kept.owner.isPublic })
        ) { call, username, slug in
            try await call.keptList(of: username, slug, seenBy: nil) {
                "/api/v1/users/\($0)/kept-lists/\($1)"
            }
        },

        Route(
            .get, own, .api("listMyKeptLists", .myList, "List what the current user has kept"),
            takes: .user(.read),
            answers: .array(
                "keptLists", of: V1.keptListSummary, "The latest first.", atMost: limit,
                "The kept lists.")
        ) { call, user in try await call.services.store.keptLists(userID: user.id) },

        Route(
            .post, own,
            .api(
                "keepList", .myList, "Keep the list as it is",
                "A kept list doesn't change and can't be renamed. A user can keep "
                    + "\(KeptList.limit) lists, besides those of their years."),
            takes: .user(.writeList), .idempotencyKey, .json(NewKeptList.self),
            answers: .created(V1.keptList, "The kept list."),
            fails: [.conflict, .unprocessableContent]
        ) { call, user, key, new in
            try await call.snapshots.take(
                of: user, title: new.title, once: key?.request(of: user), response: answer)
        },

        Route(
            .get, "\(own)/{kept}",
            .api("getMyKeptList", .myList, "Get a list that the current user has kept"),
            takes: .user(.read), .keptSlug, answers: .json(V1.keptList, "The kept list.")
        ) { call, user, slug in try await mine(call, user, slug) },

        Route(
            .delete, "\(own)/{kept}",
            .api(
                "deleteKeptList", .myList, "Delete a kept list",
                "This can't be undone. Succeeds for one that the user doesn't have, too."),
            takes: .user(.writeList), .keptSlug, answers: .noContent
        ) { call, user, slug in
            try await call.snapshots.delete(slug, of: user)
        },
    ]

    private static func lists(_ call: Call, _ username: Username) async throws -> Found {
        let name = username.description
        guard let found = try await call.services.store.keptLists(username: name, seenBy: nil)
        else {
            throw try await call.moved(from: username) { "/api/v1/users/\($0)/kept-lists" }
        }
        return Found(owner: found.owner, lists: found.lists)
    }

    private static func mine(
        _ call: Call, _ user: User, _ slug: KeptListSlug
    ) async throws -> KeptList {
        guard let kept = try await call.services.store.keptList(userID: user.id, slug: slug)
        else { throw Problem.noKeptList }
        return kept
    }

    @Sendable private static func answer(to kept: KeptList) -> KeptAnswer {
        KeptAnswer(kept, V1.keptList, location: "\(own)/\(kept.summary.slug)")
    }

    private struct Found: Sendable {
        let owner: User
        let lists: [KeptListSummary]
    }

    private static let ofUser = ObjectRepresentation<Found>(
        nil, nil,
        [
            .init("user", V1.person) { V1.Person($0.owner) },
            .init(
                "keptLists", .array(of: V1.keptListSummary, atMost: limit), "The latest first."
            ) { $0.lists },
        ])

    struct NewKeptList: RequestBody {
        let title: KeptListTitle

        init?(from reader: inout JSONObjectReader) {
            title =
                reader.optional(
                    "title",
                    .parsed(V1.keptTitle, KeptListTitle.rule) { KeptListTitle($0) },
                    "1 to \(KeptListTitle.limit) characters on one line; “My five” and the year if omitted."
                ) ?? .suggested
        }
    }
}
