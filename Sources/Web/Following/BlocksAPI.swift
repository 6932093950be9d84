import Actions
import Endpoints
import FaveGames
import HTTPTypes
import Languages
import Storage

/// The people whom the current user has blocked. The scopes of personal tokens are those of follows.
enum BlocksAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/blocks",
            .api(
                "listBlocks", .me, "List whom the user has blocked",
                "The latest come first."),
            takes: .user(.read), .limit, .cursor(InclusionCursor.self),
            returns: .page(
                "A page of the people whom the user has blocked.", to: InclusionCursor.self,
                [
                    .init(
                        "people", .array(of: blockedPerson, atMost: 100),
                        "The people whom the user has blocked, the latest first."
                    ) { $0 }
                ])
        ) { context, user, limit, cursor in
            let found = try await context.services.store.blockedPeople(
                of: user.id, limit: limit, at: cursor)
            return .init(page: found.people, next: found.next, previous: found.previous)
        },

        Route(
            .put, "/api/v1/me/blocks/{username}",
            .api(
                "block", .me, "Block someone",
                "Ends follows and hearts between the two, who also leave each other's circles. Neither can "
                    + "follow the other, give them hearts or join their circles by invitation. Requests "
                    + "with a token of one of them don't find the other, but both can still report and "
                    + "block each other. Feeds, embeds, pictures and oEmbed stay the same for everyone. "
                    + "They aren't told. Also succeeds if the user has blocked them already. At most "
                    + "\(Blocking.limit.grouped.string(in: .en)) people."
            ),
            takes: .user(.account), .username, returns: .noContent, fails: [.conflict]
        ) { context, user, username in
            try await context.blocks.block(username, as: user)
        },

        Route(
            .delete, "/api/v1/me/blocks/{username}",
            .api(
                "unblock", .me, "Unblock someone",
                "Brings no follows or hearts back. Succeeds for someone whom the user hasn't blocked, "
                    + "too."),
            takes: .user(.account), .username, returns: .noContent
        ) { context, user, username in
            try await context.blocks.unblock(username, as: user)
        },
    ]

    static let blockedPerson = ObjectRepresentation<BlockedPerson>(
        "BlockedPerson", "Someone whom the user has blocked.",
        V1.idMember() + V1.nameMembers() + [
            .init("blockedAt", .date, "Since when.") { $0.blockedAt }
        ])
}
