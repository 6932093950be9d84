import Actions
import Endpoints
import Foundation
import HTTPTypes
import Storage

/// Hearts say “me too” to a comment.
enum HeartsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/entries/{entry}/heart",
            .api(
                "getHearts", .entries, "Count the hearts of a comment",
                "With a token, also whether the user has given one."),
            takes: .entryID, .viewer,
            returns: .json(hearts, "The hearts of a comment on a public list.")
        ) { context, entry, viewer in
            let store = context.services.store
            guard let count = try await store.heartCount(of: entry) else { throw HeartError.gone }
            guard let userID = try await viewer.id() else {
                return CommentHearts(count: count, isGiven: nil)
            }
            let given = try await store.heartedEntries([entry], by: userID)
            return CommentHearts(count: count, isGiven: given.contains(entry))
        },

        Route(
            .put, "/api/v1/entries/{entry}/heart",
            .api(
                "giveHeart", .entries, "Give a comment a heart",
                "For a comment of someone else on a public list. Others see only the number. The "
                    + "heart is gone once the comment or the game changes. Succeeds if the user has "
                    + "given it already, too."),
            takes: .user(.account), .entryID, returns: .noContent,
            fails: [.conflict, .tooManyAttempts]
        ) { context, user, entry in
            try await context.hearts.give(to: entry, by: user)
        },

        Route(
            .delete, "/api/v1/entries/{entry}/heart",
            .api(
                "takeHeart", .entries, "Take a heart back",
                "Succeeds if there is none, too."),
            takes: .user(.account), .entryID, returns: .noContent
        ) { context, user, entry in
            try await context.hearts.take(from: entry, by: user)
        },
    ]

    private struct CommentHearts: Sendable {
        let count: Int
        /// `nil` without a token.
        let isGiven: Bool?
    }

    private static let hearts = ObjectRepresentation<CommentHearts>(
        "Hearts", "How many people agree with a comment.",
        [
            .init("hearts", .integer(0..., example: 3), "How many people have given one.") {
                $0.count
            },
            .init(
                "isGiven", .nullable(.boolean(example: true)),
                "Whether the user has given one; null without a token."
            ) { $0.isGiven },
        ])
}
