import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Storage

/// The current user's own list. The token alone decides whose list it is: no address names anyone
/// else's.
enum MyListAPI {
    private static let path = "/api/v1/me/list"

    static let routes = [
        Route(
            .get, path, .api("getMyList", .myList, "Get the current user's list"),
            takes: .user, answers: .json(V1.list, "The list.")
        ) { call, user in try await call.list(of: user) },

        Route(
            .put, path,
            .api(
                "replaceMyList", .myList, "Replace the whole list",
                "All or nothing. If-Match must name the version to replace, so that one device can't "
                    + "undo another's changes."),
            takes: .user, .json(NewList.self), .ifMatch(requiredFor: path),
            answers: .changed(V1.list), fails: entryProblems
        ) { call, user, new, conditions in
            try await call.learn(new.entries.map(\.entry.gameID))
            return try await call.changeList(of: user) { list in
                try conditions.check(.json(list, V1.list))
                return try ListDraft(new.entries.map(\.entry), replacing: list)
            }
        },

        Route(
            .post, "\(path)/entries",
            .api("addEntry", .myList, "Add an entry", "If-Match applies to the list."),
            takes: .user, .idempotencyKey, .ifMatch, .json(NewEntry.self),
            answers: .created(V1.entry, "The new entry.", isTagged: true), fails: entryProblems
        ) { call, user, key, conditions, new in
            try await call.insert(
                new.entry, at: new.position, into: user, key?.request(of: user)
            ) { list in
                try conditions.check(.json(list, V1.list))
            } answer: { added in
                KeptAnswer(
                    added, V1.entry,
                    location: "\(path)/entries/\(added.id.uuidString.lowercased())")
            }
        },

        Route(
            .get, "\(path)/entries/{entry}", .api("getMyEntry", .myList, "Get an entry"),
            takes: .user, .entryID, answers: .json(V1.entry, "The entry.")
        ) { call, user, id in try await call.list(of: user).entry(id) },

        Route(
            .patch, "\(path)/entries/{entry}",
            .api(
                "changeEntry", .myList, "Change or move an entry",
                "Omitted members stay as they are. If-Match applies to the entry."),
            takes: .user, .entryID, .ifMatch, .json(EntryChanges.self),
            answers: .changed(V1.entry), fails: entryProblems
        ) { call, user, id, conditions, changes in
            if let gameID = changes.gameID { try await call.learn([gameID]) }
            let list = try await call.changeList(of: user) { list in
                try conditions.check(.json(list.entry(id), V1.entry))
                var draft = ListDraft(list)
                try draft.change(id, position: changes.position, changes.apply)
                return draft
            }
            return try list.entry(id)
        },

        Route(
            .delete, "\(path)/entries/{entry}",
            .api(
                "removeEntry", .myList, "Remove an entry",
                "The entries after it move up. If-Match applies to the entry."),
            takes: .user, .entryID, .ifMatch, answers: .noContent
        ) { call, user, id, conditions in
            _ = try await call.changeList(of: user) { list in
                try conditions.check(.json(list.entry(id), V1.entry))
                var draft = ListDraft(list)
                try draft.remove(id)
                return draft
            }
        },
    ]

    private static let entryProblems: [ProblemKind] = [
        .listFull, .duplicateEntry, .unprocessableContent, .unavailable,
    ]

    private struct NewList: RequestBody {
        let entries: [ListedEntry]

        init?(from reader: inout JSONObjectReader) {
            entries = reader.objects(
                "entries", of: ListedEntry.self, atMost: FaveList.limit,
                """
                In order, best first, at most five. Entries for a game and platform that are \
                already there keep their ids.
                """)
        }
    }

    /// An entry in a whole list. Its position is its place in the array.
    private struct ListedEntry: RequestBody {
        let entry: DraftEntry

        static let schemaName: String? = "DraftEntry"
        static let schemaDescription: String? = "A new entry."

        init?(from reader: inout JSONObjectReader) {
            let gameID = reader.required("gameId", .gameID, gameDescription)
            let platformID = reader.required("platformId", .platformID, platformDescription)
            let comment = reader.optional(
                "comment", .comment, "\(commentDescription) Empty if omitted.")
            let rating = reader.nullable(
                "rating", .rating, "\(ratingDescription) None if omitted or null.")
            let tags = reader.optional("tags", .tags)
            guard let gameID, let platformID else { return nil }
            entry = DraftEntry(
                gameID: gameID, platformID: platformID, comment: comment ?? .empty,
                rating: rating ?? nil, tags: tags ?? .none)
        }
    }

    private struct NewEntry: RequestBody {
        let position: Int?
        let entry: DraftEntry

        init?(from reader: inout JSONObjectReader) {
            position = reader.optional(
                "position", .position,
                "The entry's place; those after it move down. At the end if omitted.")
            guard let listed = ListedEntry(from: &reader) else { return nil }
            entry = listed.entry
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
        }

        func apply(to entry: inout DraftEntry) {
            entry.gameID = gameID ?? entry.gameID
            entry.platformID = platformID ?? entry.platformID
            entry.comment = comment ?? entry.comment
            if let rating { entry.rating = rating }
            entry.tags = tags ?? entry.tags
        }
    }

    private static let gameDescription =
        "The game; one that the server does not know yet is looked up at IGDB."
    private static let platformDescription = "The platform, one that the game is on."
    private static let commentDescription = """
        Why the user loves it: plain text with line feeds, at most \(Comment.limit) characters once white space is \
        trimmed.
        """
    private static let ratingDescription = "How much the user loves it; 5 is the most."
}

// What both versions of the API do with a list.
extension Call {
    /// - Throws: 401 if the account has been deleted since the token was verified.
    func list(of user: User) async throws -> FaveList {
        guard let list = try await services.store.list(userID: user.id) else {
            throw Problem.unauthorized(hadToken: true)
        }
        return list
    }

    /// - Throws: 401 if the account has been deleted since the token was verified.
    func changeList(
        of user: User, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList {
        guard let list = try await services.store.changeList(userID: user.id, change) else {
            throw Problem.unauthorized(hadToken: true)
        }
        return list
    }

    /// Adds an entry. If the request is repeated with the same key, the entry is added only once.
    ///
    /// - Parameters:
    ///   - position: The end of the list if `nil`.
    ///   - check: Checks the request's conditions before the change.
    ///   - answer: Makes the answer from the new entry.
    func insert(
        _ entry: DraftEntry, at position: Int? = nil, into user: User,
        _ request: IdempotentRequest?,
        check: @Sendable (FaveList) throws -> Void,
        answer: @Sendable (Entry) -> KeptAnswer
    ) async throws -> KeptAnswer {
        try await learn([entry.gameID])
        let kept = try await services.store.changeList(userID: user.id, once: request) { list in
            try check(list)
            var draft = ListDraft(list)
            try draft.insert(entry, at: position)
            return draft
        } answer: { list in
            guard let added = list.entries.first(where: { $0.pick == entry.pick }) else {
                throw ListError.changedMeanwhile
            }
            return answer(added)
        }
        guard let kept else { throw Problem.unauthorized(hadToken: true) }
        return kept
    }

    /// Looks up games that we do not know yet at IGDB, so that lists can hold them.
    fileprivate func learn(_ gameIDs: [Int]) async throws {
        guard !gameIDs.isEmpty else { return }
        try await services.games.learn(gameIDs)
    }
}

extension FaveList {
    /// - Throws: `noSuchEntry`.
    func entry(_ id: UUID) throws(ListError) -> Entry {
        guard let entry = entries.first(where: { $0.id == id }) else {
            throw .noSuchEntry(id)
        }
        return entry
    }
}

extension Entry {
    fileprivate var pick: Pick { Pick(game: game.id, platform: platform.id) }
}
