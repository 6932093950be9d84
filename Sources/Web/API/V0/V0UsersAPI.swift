import FaveGames
import HTTP
import JSON

enum V0UsersAPI {
    static func search(_ call: Call) async throws -> Response {
        guard let search = try call.searchText() else {
            throw Problem.badRequest("Give \"search\".")
        }
        let users = try await call.services.store.users(matching: search, limit: 20)
        return Response.json { $0.array(users) { $0.v0User($1) } }
    }

    static func one(_ call: Call) async throws -> Response {
        let user = try await call.ofUser { digest, viewer in
            try await call.services.store.user(digest: digest, seenBy: viewer)
        }
        return Response.json { $0.v0User(user) }
    }

    static func me(_ call: Call) async throws -> Response {
        let user = try await call.user()
        return Response.json { $0.v0User(user) }
    }
}
