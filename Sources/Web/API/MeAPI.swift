import HTTP

enum MeAPI {
    static func show(_ call: Call) async throws -> Response {
        let user = try await call.user()
        return Response.json { $0.user(user) }
    }
}
