import FaveGames
import HTTP
import Identity
import JSON
import Storage

enum UsersAPI {
    static func search(_ call: Call) async throws -> Response {
        let limit = try call.limit()
        guard let search = try call.searchText() else {
            throw Problem.badRequest("Give \"search\".")
        }
        let users = try await call.services.store.users(matching: search, limit: limit)
        return Response.json { json in
            json.object { json in
                json.name("users")
                json.array(users) { $0.user($1) }
            }
        }
    }

    /// Makes an account with a password. Signing in is another call, to `/sessions`.
    static func create(_ call: Call) async throws -> Response {
        var reader = JSONObjectReader(try call.json())
        let username = reader.required("username", Username.rule) { Username($0) }
        let password = reader.string("password")
        try reader.finish()
        guard let username, let password else { throw Problem.invalidMembers(reader.errors) }
        let request = try call.idempotentRequest(of: nil)
        if let kept = try await kept(request, call) { return kept }
        do {
            let proof = try await call.services.accounts.signUp(
                username, password: password, from: call.client.networkName,
                keeping: request.map { AnswerKeeping($0, answer: answer) })
            return call.created(answer(to: proof.user))
        } catch let error as AccountError {
            // The same request may have come twice at once.
            if let kept = try await kept(request, call) { return kept }
            throw error
        }
    }

    private static func kept(
        _ request: IdempotentRequest?, _ call: Call
    ) async throws -> Response? {
        guard let request else { return nil }
        return try await call.services.store.keptAnswer(request).map { call.created($0) }
    }

    @Sendable private static func answer(to user: User) -> KeptAnswer {
        KeptAnswer(location: "/api/v1/users/\(user.username)") { $0.ownUser(user) }
    }

    static func one(_ call: Call) async throws -> Response {
        let username = try call.path(.username).description
        guard let user = try await call.services.store.user(username: username, seenBy: nil) else {
            return try await call.redirectToSuccessor { "/api/v1/users/\($0)" }
        }
        return Response.json { $0.user(user) }
    }

    static func list(_ call: Call) async throws -> Response {
        guard let list = try await call.listOfPath() else {
            return try await call.redirectToSuccessor { "/api/v1/users/\($0)/list" }
        }
        return try Response.json { $0.list(list) }.conditional(for: call)
    }
}
