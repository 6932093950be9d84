import Actions
import Encodings
package import Endpoints
package import FaveGames
import Foundation
import HTTPTypes

/// The current user's own list. The token alone decides whose list it is: no address names anyone
/// else's.
enum MyListAPI {
    private static let path = "/api/v1/me/list"

    static let routes = [
        Route(
            .get, path, .api("getMyList", .myList, "Get the current user's list"),
            takes: .ownList(.read), returns: .json(V1.list, "The list.")
        ) { _, list in list },

        Route(
            .put, path,
            .api(
                "replaceMyList", .myList, "Replace the whole list",
                "All or nothing. If-Match must name the version to replace, so that one device can't "
                    + "undo another's changes."),
            takes: .ownList(.writeList),
            .array(
                "entries", of: DraftEntry.self, atMost: FaveList.limit,
                ignoring: ["user", "updatedAt", "url"],
                """
                In order, best first, at most five, each game only once for a platform. Entries whose game and platform are already \
                on the list keep their ids. A list can be sent back as it was read.
                """), .ifMatch(requiredFor: path),
            returns: .changed(V1.list), fails: [.unprocessableContent, .unavailable]
        ) { context, list, entries, conditions in
            try await context.lists.change(list, adding: entries.map(\.gameID)) { list in
                try conditions.check(.json(list, V1.list, for: context.addresses))
                return try ListDraft(entries, replacing: list)
            }
        },

        Route(
            .post, "\(path)/entries",
            .api("addEntry", .myList, "Add an entry", "If-Match applies to the list."),
            takes: .ownList(.writeList), .ifMatch, .json(NewEntry.self),
            returns: .created(V1.entry, "The new entry.", isTagged: true) {
                $0.id.text
            }, fails: entryProblems
        ) { context, list, conditions, new in
            try await ofOneEntry {
                try await context.lists.add(new.entry, at: new.position, to: list) { list in
                    try conditions.check(.json(list, V1.list, for: context.addresses))
                }
            }
        },

        Route(
            .get, "\(path)/entries/{entry}", .api("getMyEntry", .myList, "Get an entry"),
            takes: .ownList(.read), .entryID, returns: .json(V1.entry, "The entry.")
        ) { _, list, id in try list.entry(id) },

        Route(
            .patch, "\(path)/entries/{entry}",
            .api(
                "changeEntry", .myList, "Change or move an entry",
                "Omitted members stay as they are. If-Match applies to the entry."),
            takes: .ownList(.writeList), .entryID, .ifMatch, .json(EntryChanges.self),
            returns: .changed(V1.entry), fails: entryProblems
        ) { context, list, id, conditions, changes in
            let games = changes.gameID.map { [$0] } ?? []
            return try await ofOneEntry {
                try await context.lists.change(list, adding: games) { list in
                    try conditions.check(.json(list.entry(id), V1.entry, for: context.addresses))
                    var draft = ListDraft(list)
                    try draft.change(id, position: changes.position, changes.apply)
                    return draft
                }
            }.entry(id)
        },

        Route(
            .delete, "\(path)/entries/{entry}",
            .api(
                "removeEntry", .myList, "Remove an entry",
                "The entries after it move up. If-Match applies to the entry."),
            takes: .ownList(.writeList), .entryID, .ifMatch, returns: .noContent
        ) { context, list, id, conditions in
            _ = try await context.lists.change(list) { list in
                try conditions.check(.json(list.entry(id), V1.entry, for: context.addresses))
                var draft = ListDraft(list)
                try draft.remove(id)
                return draft
            }
        },
    ]

    private static let entryProblems: [ProblemKind] = [
        .listFull, .duplicateEntry, .unprocessableContent, .unavailable,
    ]

    /// Makes a change whose body is one entry. The pointers of its errors refer to that body.
    private static func ofOneEntry<Result>(
        _ change: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await change()
        } catch ListError.wrongPicks(let wrong) {
            throw Problem(wrong) { _ in "" }
        }
    }

    private struct NewEntry: RequestBody {
        let position: Int?
        let entry: DraftEntry

        init?(from reader: inout JSONObjectReader) {
            position = reader.optional(
                "position", .position,
                "The entry's place; those after it move down. At the end if omitted.")
            guard let entry = DraftEntry(from: &reader) else { return nil }
            self.entry = entry
        }
    }

    private struct EntryChanges: RequestBody {
        let position: Int?
        let gameID: Int?
        private let platformID: Int?
        private let comment: Comment?
        private let rating: Rating??
        private let tags: Tags?

        init?(from reader: inout JSONObjectReader) {
            position = reader.optional(
                "position", .position, "The entry's place; the others make room.")
            gameID = reader.optional("gameId", .gameID, gameDescription)
            platformID = reader.optional("platformId", .platformID, platformDescription)
            comment = reader.optional(
                "comment", .comment, "\(commentDescription) Empty removes it.")
            rating = reader.nullable("rating", .rating, "\(ratingDescription) Null removes it.")
            tags = reader.optional("tags", .tags)
            reader.ignore("id", "game", "platform", "createdAt", "updatedAt")
        }

        func apply(to entry: inout DraftEntry) {
            entry.gameID = gameID ?? entry.gameID
            entry.platformID = platformID ?? entry.platformID
            entry.comment = comment ?? entry.comment
            if let rating { entry.rating = rating }
            entry.tags = tags ?? entry.tags
        }
    }

    fileprivate static let gameDescription =
        "The game. If the server does not know it yet, it is looked up at IGDB."
    fileprivate static let platformDescription = "The platform. The game must be on it."
    fileprivate static let commentDescription = """
        Why the user loves it: plain text with line feeds, at most \(Comment.limit) characters once white space is \
        trimmed.
        """
    fileprivate static let ratingDescription = "How much the user loves it; 5 is the most."
}

extension DraftEntry: RequestBody {
    package static let schemaName: String? = "DraftEntry"
    package static let schemaDescription: String? = """
        A new entry. The members of an entry that the server sets may come along, and are ignored.
        """

    package func isSame(as other: DraftEntry) -> Bool { pick == other.pick }

    package init?(from reader: inout JSONObjectReader) {
        let gameID = reader.required("gameId", .gameID, MyListAPI.gameDescription)
        let platformID = reader.required("platformId", .platformID, MyListAPI.platformDescription)
        let comment = reader.optional(
            "comment", .comment, "\(MyListAPI.commentDescription) Empty if omitted.")
        let rating = reader.nullable(
            "rating", .rating, "\(MyListAPI.ratingDescription) None if omitted or null.")
        let tags = reader.optional("tags", .tags)
        reader.ignore("id", "position", "game", "platform", "createdAt", "updatedAt")
        guard let gameID, let platformID else { return nil }
        self.init(
            gameID: gameID, platformID: platformID, comment: comment ?? .empty,
            rating: rating ?? nil, tags: tags ?? .none)
    }
}

extension Input where Value == UUID {
    static var entryID: Self { entryID("entry") }

    /// - Parameter name: The parameter's name in the pattern.
    static func entryID(_ name: String) -> Self {
        .id(name, noun: "entry", "The entry's id.", example: Example.entry)
    }
}
