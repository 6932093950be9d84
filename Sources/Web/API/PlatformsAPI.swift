import FaveGames
import HTTP
import JSON

enum PlatformsAPI {
    /// All platforms, those that match a search, or those with certain ids.
    static func list(_ call: Call) async throws -> Response {
        let store = call.services.store
        let platforms: [Platform] =
            if let ids = try call.ids() {
                try await store.platforms(ids: ids)
            } else if let search = try call.searchText() {
                try await store.platforms(matching: search)
            } else {
                try await store.platforms()
            }
        return Response.json { json in
            json.object { json in
                json.name("platforms")
                json.array(platforms) { $0.platform($1) }
            }
        }
    }

    static func one(_ call: Call) async throws -> Response {
        let platform = try await call.platform()
        return Response.json { $0.platform(platform) }
    }
}

extension Call {
    /// The platform of the path.
    ///
    /// - Throws: 404 if there is none.
    func platform() async throws -> Platform {
        let reference = try path(.platform)
        guard let platform = try await services.store.platform(reference) else {
            throw Problem.notFound("There is no such platform.")
        }
        return platform
    }
}
