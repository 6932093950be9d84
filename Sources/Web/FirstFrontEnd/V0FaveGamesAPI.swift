import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import JSON
import Storage

/// The entries of lists, one by one. The token alone decides whose list is changed.
enum V0FaveGamesAPI {
    private static let path = "/api/v0/my-fave-games"

    static let routes = [
        Route(
            .get, path, .v0("v0ListMyGames", "Get the current user's list"),
            takes: .ownList(.read), returns: entries
        ) { _, list in list.v0Entries },

        Route(
            .get, "\(path)/{id}", .v0("v0ListGamesOf", "Get a user's list", V0UsersAPI.viewerNote),
            takes: .user("id"), .viewer, returns: entriesOfUser, handler: listOfUser),

        Route(
            .post, path, .v0("v0AddMyGame", "Add an entry at the end of the list"),
            takes: .ownList(.writeList), .ifMatch, .json(NewEntry.self),
            returns: .created(V0.entry, "The new entry.") {
                $0.entry.id.text
            },
            fails: [.duplicateEntry, .unprocessableContent]
        ) { context, list, conditions, new in
            let added = try await context.lists.add(new.entry, to: list) { list in
                try conditions.check(.json(list, V1.list, for: context.addresses))
            }
            return V0.Entry(entry: added, owner: UserDigest(of: list.owner.id))
        },

        Route(
            .put, "\(path)/{id}", .v0("v0ChangeMyGame", "Change an entry's comment"),
            takes: .ownList(.writeList), .entryID("id"), .ifMatch, .json(Change.self),
            returns: .json(V0.entry, "The changed entry.")
        ) { context, list, id, conditions, change in
            try await context.lists.change(list) { list in
                try conditions.check(.json(list.v0Entry(id), V0.entry, for: context.addresses))
                var draft = ListDraft(list)
                try draft.change(id) { $0.comment = change.reasons }
                return draft
            }.v0Entry(id)
        },

        Route(
            .delete, "\(path)/{id}",
            .v0(
                "v0RemoveMyGame", "Remove an entry",
                "Returns the entry, for clients that parse every response as JSON."),
            takes: .ownList(.writeList), .entryID("id"), .ifMatch,
            returns: .json(V0.entry, "The removed entry.")
        ) { context, list, id, conditions in
            let removed = try list.v0Entry(id)
            _ = try await context.lists.change(list) { list in
                try conditions.check(.json(list.v0Entry(id), V0.entry, for: context.addresses))
                var draft = ListDraft(list)
                try draft.remove(id)
                return draft
            }
            return removed
        },
    ]

    @Sendable private static func listOfUser(
        _ context: RequestContext, digest: UserDigest, viewer: TokenViewer
    ) async throws -> [V0.Entry] {
        try await viewer.find { viewer in
            try await context.services.store.list(digest: digest.text, seenBy: viewer)
        }.v0Entries
    }

    private static let entries = list(isIndexed: nil)
    private static let entriesOfUser = list { _ in false }

    private static func list(
        isIndexed: (@Sendable ([V0.Entry]) -> Bool)?
    ) -> ResponseKind<Services, [V0.Entry]> {
        .array(
            of: V0.entry, "At most five.", atMost: FaveList.limit,
            "The entries in the order of the list.", isIndexed: isIndexed)
    }

    private struct NewEntry: RequestBody {
        let entry: DraftEntry

        static let schemaName: String? = "V0Draft"
        static let schemaDescription: String? =
            "A new entry, in /api/v0. Other members are ignored."
        static let ignoresUnknownMembers = true

        init?(from reader: inout JSONObjectReader) {
            let gameID = reader.required(
                "gameId", .idOrText(.igdbGame), "The game, as a number or a text.")
            let platformID = reader.required(
                "platformId", .idOrText(.igdbPlatform), "The platform, as a number or a text.")
            let reasons = reader.optional(
                "reasons", .comment, "\(reasonsDescription) Empty if omitted.")
            guard let gameID, let platformID else { return nil }
            entry = DraftEntry(
                gameID: gameID, platformID: platformID, comment: reasons ?? .empty)
        }
    }

    private struct Change: RequestBody {
        let reasons: Comment

        static let schemaDescription: String? = "Other members are ignored."
        static let ignoresUnknownMembers = true

        init?(from reader: inout JSONObjectReader) {
            guard let reasons = reader.required("reasons", .comment, reasonsDescription) else {
                return nil
            }
            self.reasons = reasons
        }
    }

    private static let reasonsDescription =
        "Why, at most \(Comment.limit) characters once white space is trimmed."
}

extension BodyMember where Value == Int {
    /// An IGDB number, which may also be written as a string.
    fileprivate static func idOrText(_ schema: Schema) -> Self {
        let text = Schema.text(pattern: "^[1-9][0-9]{0,9}$", example: "")
        return .integerOrText(
            Schema(
                ["anyOf": [.object(schema.keywords), .object(text.keywords)]],
                example: schema.example),
            in: GameID.range)
    }
}
