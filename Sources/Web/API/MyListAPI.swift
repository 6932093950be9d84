import FaveGames
import Foundation
import HTTP
import HTTPTypes
import JSON
import Storage

/// One's own list. Whose it is comes from the token alone: no address names another's.
enum MyListAPI {
    static func show(_ call: Call) async throws -> Response {
        let user = try await call.user()
        guard let list = try await call.services.store.list(userID: user.id) else {
            throw Problem.unauthorized(hadToken: true)
        }
        return try response(list).conditional(for: call)
    }

    /// Replaces the whole list, if it is still what the client knows. It must say what that is:
    /// else of two devices one would undo what the other did.
    static func replace(_ call: Call) async throws -> Response {
        let user = try await call.user()
        var reader = JSONObjectReader(try call.json())
        let wanted = reader.objects("entries", atMost: FaveList.limit) { entry in
            draftEntry(&entry)
        }
        try reader.finish()
        guard call.request.headerFields[.ifMatch] != nil else {
            throw Problem(
                .preconditionRequired,
                "Say which list is to be replaced: If-Match with the ETag of \(path), "
                    + "or \"If-Match: *\" for whatever is there.")
        }
        try await call.learn(wanted.map(\.gameID))
        let list = try await changeList(call, user) { list in
            try call.check(response(list))
            return try ListDraft(wanted, replacing: list)
        }
        return response(list).tagged
    }

    /// Adds an entry. Conditions are about the list as a whole.
    static func add(_ call: Call) async throws -> Response {
        let user = try await call.user()
        var reader = JSONObjectReader(try call.json())
        let position = reader.optionalInt("position", in: 1...FaveList.limit)
        let entry = draftEntry(&reader)
        try reader.finish()
        guard let entry else { throw Problem.invalidMembers(reader.errors) }
        return try await insert(entry, at: position, call, user) { added in
            KeptAnswer(location: "\(path)/entries/\(added.id.uuidString.lowercased())") {
                $0.entry(added)
            }
        }.tagged
    }

    static func one(_ call: Call) async throws -> Response {
        let user = try await call.user()
        let list = try await call.services.store.list(userID: user.id)
        return try response(entry(call.path(.entry), of: list)).conditional(for: call)
    }

    /// Changes what is given of an entry; its position moves the others. Conditions are about the
    /// entry, as they are in `remove`.
    static func change(_ call: Call) async throws -> Response {
        let user = try await call.user()
        let id = try call.path(.entry)
        var reader = JSONObjectReader(try call.json())
        let position = reader.optionalInt("position", in: 1...FaveList.limit)
        let gameID = reader.optionalInt("gameId", in: GameID.range)
        let platformID = reader.optionalInt("platformId", in: GameID.range)
        let comment = comment(&reader)
        let rating = rating(&reader)
        let tags = tags(&reader)
        try reader.finish()
        if let gameID { try await call.learn([gameID]) }
        let list = try await changeList(call, user) { list in
            try call.check(response(entry(id, of: list)))
            var draft = ListDraft(list)
            try draft.change(id, position: position) { entry in
                entry.gameID = gameID ?? entry.gameID
                entry.platformID = platformID ?? entry.platformID
                entry.comment = comment ?? entry.comment
                if let rating { entry.rating = rating }
                entry.tags = tags ?? entry.tags
            }
            return draft
        }
        return try response(entry(id, of: list)).tagged
    }

    static func remove(_ call: Call) async throws -> Response {
        let user = try await call.user()
        let id = try call.path(.entry)
        _ = try await changeList(call, user) { list in
            try call.check(response(entry(id, of: list)))
            var draft = ListDraft(list)
            try draft.remove(id)
            return draft
        }
        return Response(status: .noContent)
    }

    /// Adds an entry, once for each key.
    ///
    /// - Parameters:
    ///   - position: At the end if `nil`.
    ///   - answer: What is said of the entry.
    static func insert(
        _ entry: DraftEntry, at position: Int?, _ call: Call, _ user: User,
        answer: @Sendable (Entry) -> KeptAnswer
    ) async throws -> Response {
        let request = try call.idempotentRequest(of: user)
        try await call.learn([entry.gameID])
        let kept = try await call.services.store.changeList(userID: user.id, once: request) {
            list in
            try call.check(response(list))
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
        return call.created(kept)
    }

    static func changeList(
        _ call: Call, _ user: User, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList {
        guard let list = try await call.services.store.changeList(userID: user.id, change) else {
            // Deleted since the token was verified.
            throw Problem.unauthorized(hadToken: true)
        }
        return list
    }

    private static let path = "/api/v1/me/list"

    private static func response(_ list: FaveList) -> Response {
        Response.json { $0.list(list) }
    }

    private static func response(_ entry: Entry) -> Response {
        Response.json { $0.entry(entry) }
    }

    static func entry(_ id: UUID, of list: FaveList?) throws -> Entry {
        guard let entry = list?.entries.first(where: { $0.id == id }) else {
            throw ListError.noSuchEntry(id)
        }
        return entry
    }

    private static func draftEntry(_ reader: inout JSONObjectReader) -> DraftEntry? {
        let gameID = reader.int("gameId", in: GameID.range)
        let platformID = reader.int("platformId", in: GameID.range)
        let comment = comment(&reader)
        let rating = rating(&reader)
        let tags = tags(&reader)
        guard let gameID, let platformID else { return nil }
        return DraftEntry(
            gameID: gameID, platformID: platformID, comment: comment ?? .empty,
            rating: rating ?? nil, tags: tags ?? .none)
    }

    /// - Returns: `nil` if there is none, or not a good one.
    static func comment(_ reader: inout JSONObjectReader, _ name: String = "comment") -> Comment? {
        guard let text = reader.optionalString(name) else { return nil }
        do {
            return try Comment(text)
        } catch {
            reader.note(name, "must have at most \(Comment.limit) characters")
            return nil
        }
    }
}

extension MyListAPI {
    /// - Returns: `nil` if there is none, a rating that is `nil` for `null`.
    private static func rating(_ reader: inout JSONObjectReader) -> Rating?? {
        guard let value = reader.nullableInt("rating", in: Rating.range) else { return nil }
        return .some(value.flatMap(Rating.init))
    }

    private static func tags(_ reader: inout JSONObjectReader) -> Tags? {
        guard let texts = reader.optionalStrings("tags", atMost: Tags.limit) else { return nil }
        do {
            return try Tags(texts)
        } catch {
            reader.note("tags", error.description)
            return nil
        }
    }
}

extension Call {
    /// Asks IGDB for games that we do not know yet, so that lists can hold them.
    fileprivate func learn(_ gameIDs: [Int]) async throws {
        guard !gameIDs.isEmpty else { return }
        try await services.games.learn(gameIDs)
    }
}

extension Entry {
    fileprivate var pick: Pick { Pick(game: game.id, platform: platform.id) }
}
