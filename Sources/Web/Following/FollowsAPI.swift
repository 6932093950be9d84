import Actions
import Endpoints
import FaveGames
import HTTPTypes
import Identity
import Languages
import Storage

/// The people that the current user follows, and the user's followers. Reads need the scope `read`,
/// because only the user may see them. Changes need `account`, because they don't change the list.
enum FollowsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/following",
            .api(
                "listFollowing", .me, "List whom the user follows",
                "Those followed last first. People whose lists aren't public now are left out."),
            takes: .user(.read), .limit, .cursor(InclusionCursor.self),
            returns: .people("A page of the people whom the user follows.")
        ) { context, user, limit, cursor in
            let found = try await context.services.store.following(
                of: user.id, limit: limit, at: cursor)
            return .init(page: found.people, next: found.next, previous: found.previous)
        },

        Route(
            .put, "/api/v1/me/following/{username}",
            .api(
                "follow", .me, "Follow someone",
                "Their list must be public. They can see it; no one else can. Also succeeds if the "
                    + "user already follows them. At most \(Following.limit.grouped.string(in: .en)) people."
            ),
            takes: .user(.account), .username, returns: .noContent, fails: [.conflict]
        ) { context, user, username in
            try await context.follows.follow(username, as: user)
        },

        Route(
            .delete, "/api/v1/me/following/{username}",
            .api(
                "unfollow", .me, "Unfollow someone",
                "Succeeds for someone whom the user doesn't follow, too."),
            takes: .user(.account), .username, returns: .noContent
        ) { context, user, username in
            try await context.follows.unfollow(username, as: user)
        },

        Route(
            .get, "/api/v1/me/following/entries",
            .api(
                "listFollowedEntries", .me, "List what came onto the lists of those followed",
                "The latest first, from lists that are public now."),
            takes: .user(.read), .limit, .cursor(InclusionCursor.self),
            returns: .entries("A page of public entries.", of: V1.foundEntry), costs: .dear
        ) { context, user, limit, cursor in
            let found = try await context.services.store.changes(
                followedBy: user.id, limit: limit, at: cursor)
            return .init(page: found.entries, next: found.next, previous: found.previous)
        },

        Route(
            .post, "/api/v1/me/following/feed",
            .api(
                "makeFollowFeed", .me, "Make a private feed of what came onto those lists",
                "An Atom feed at a secret address, which isn't shown again. Replaces the address "
                    + "before."),
            takes: .bearer(.session),
            returns: .created(feedAddress, "The feed's address.") { _ in nil }
        ) { context, bearer in
            let secret = try await context.follows.makeFeed(of: bearer)
            return context.services.settings.publicURL + "/following/feed?key=" + secret.text
        },

        Route(
            .delete, "/api/v1/me/following/feed",
            .api(
                "removeFollowFeed", .me, "Remove the private feed",
                "Succeeds if there is none, too."),
            takes: .user(.account), returns: .noContent
        ) { context, user in try await context.follows.removeFeed(of: user) },

        Route(
            .get, "/api/v1/me/followers",
            .api(
                "listFollowers", .me, "List who follows the user",
                "Those who began last first. People whose lists aren't public now are left out."),
            takes: .user(.read), .limit, .cursor(InclusionCursor.self),
            returns: .people("A page of the people who follow the user.")
        ) { context, user, limit, cursor in
            let found = try await context.services.store.followers(
                of: user.id, limit: limit, at: cursor)
            return .init(page: found.people, next: found.next, previous: found.previous)
        },

        Route(
            .delete, "/api/v1/me/followers/{username}",
            .api(
                "removeFollower", .me, "Remove a follower",
                "They can follow again. Succeeds for someone who doesn't follow the user, too."),
            takes: .user(.account), .username, returns: .noContent
        ) { context, user, username in
            try await context.follows.removeFollower(username, of: user)
        },
    ]

    private static let feedAddress = ObjectRepresentation<String>(
        nil, nil,
        [
            .init(
                "address",
                .text(
                    format: "uri",
                    example: "https://fave.example/following/feed?key=\(Example.secret)"),
                "Anyone with this address can read the feed."
            ) { $0 }
        ])
}

extension ResponseKind where Output == CursorPage<[FollowedPerson], InclusionCursor> {
    /// A page of people, most recently followed first.
    fileprivate static func people(_ text: String) -> Self {
        .page(
            text
                + " It may have fewer than “limit”, or none, and still a “nextCursor”: people "
                + "whose lists aren't public are left out.",
            to: InclusionCursor.self,
            [
                .init(
                    "people", .array(of: V1.followedPerson, atMost: 100),
                    "Those who were followed last first."
                ) { $0 }
            ])
    }
}
