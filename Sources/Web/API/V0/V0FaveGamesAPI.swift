import FaveGames
import HTTP
import JSON
import Storage

/// The entries of lists, each for itself. Whose list is changed comes from the token alone.
enum V0FaveGamesAPI {
    static func mine(_ call: Call) async throws -> Response {
        let user = try await call.user()
        guard let list = try await call.services.store.list(userID: user.id) else {
            throw Problem.unauthorized(hadToken: true)
        }
        return response(list)
    }

    static func list(_ call: Call) async throws -> Response {
        response(
            try await call.ofUser { digest, viewer in
                try await call.services.store.list(digest: digest, seenBy: viewer)
            })
    }

    static func add(_ call: Call) async throws -> Response {
        let user = try await call.user()
        var reader = JSONObjectReader(try call.json())
        let gameID = reader.intOrText("gameId", in: GameID.range)
        let platformID = reader.intOrText("platformId", in: GameID.range)
        let reasons = MyListAPI.comment(&reader, "reasons")
        try reader.finish(ignoringUnknown: true)
        guard let gameID, let platformID else { throw Problem.invalidMembers(reader.errors) }
        let entry = DraftEntry(
            gameID: gameID, platformID: platformID, comment: reasons ?? .empty)
        return try await MyListAPI.insert(entry, at: nil, call, user) { added in
            KeptAnswer { $0.v0Entry(added, of: UserDigest(of: user.id)) }
        }
    }

    static func change(_ call: Call) async throws -> Response {
        let user = try await call.user()
        let id = try call.path(.entry)
        var reader = JSONObjectReader(try call.json())
        let reasons = MyListAPI.comment(&reader, "reasons")
        if reasons == nil, reader.errors.isEmpty { reader.note("reasons", "is missing") }
        try reader.finish(ignoringUnknown: true)
        guard let reasons else { throw Problem.invalidMembers(reader.errors) }
        let list = try await MyListAPI.changeList(call, user) { list in
            try call.check(response(MyListAPI.entry(id, of: list), of: list))
            var draft = ListDraft(list)
            try draft.change(id) { $0.comment = reasons }
            return draft
        }
        return try response(MyListAPI.entry(id, of: list), of: list)
    }

    /// Answers with what was there, so that a client that reads every answer as JSON can.
    static func remove(_ call: Call) async throws -> Response {
        let user = try await call.user()
        let id = try call.path(.entry)
        let before = try await call.services.store.list(userID: user.id)
        let removed = try MyListAPI.entry(id, of: before)
        let list = try await MyListAPI.changeList(call, user) { list in
            try call.check(response(MyListAPI.entry(id, of: list), of: list))
            var draft = ListDraft(list)
            try draft.remove(id)
            return draft
        }
        return response(removed, of: list)
    }

    private static func response(_ entry: Entry, of list: FaveList) -> Response {
        Response.json { $0.v0Entry(entry, of: UserDigest(of: list.owner.id)) }
    }

    private static func response(_ list: FaveList) -> Response {
        let owner = UserDigest(of: list.owner.id)
        return Response.json { $0.array(list.entries) { $0.v0Entry($1, of: owner) } }
    }
}
