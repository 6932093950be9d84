import FaveGames
import HTTP

enum UsersAPI {
    static func search(_ call: Call) async throws -> Response {
        let limit = try call.query("limit", in: 1...100) ?? 20
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

    static func one(_ call: Call) async throws -> Response {
        let username = try call.path(.username).description
        guard let user = try await call.services.store.user(username: username) else {
            throw Problem.notFound("There is no such user.")
        }
        return Response.json { $0.user(user) }
    }

    static func list(_ call: Call) async throws -> Response {
        let list = try await call.listOfPath()
        return try Response.json { $0.list(list) }.conditional(for: call.request)
    }
}

extension Call {
    /// The list of the user in the path.
    ///
    /// - Throws: 404 if there is no such user.
    func listOfPath() async throws -> FaveList {
        let username = try path(.username).description
        guard let list = try await services.store.list(username: username) else {
            throw Problem.notFound("There is nobody called @\(username) here.")
        }
        return list
    }
}
