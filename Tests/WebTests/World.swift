import Foundation
import TestSupport

/// A server with some people, for tests that only read.
///
/// Rob and Ada have lists, Newbie has none, and sixty others fill the rankings of PlayStation 3
/// (sixty games, one list each) and Xbox 360 (one game on thirty-five lists).
struct World: Sendable {
    let server: TestServer
    let rob: String
    let ada: String

    /// Made by the first test that asks, and there until the process ends.
    static var shared: World {
        get async throws { try await task.value }
    }

    private static let task = Task(executorPreference: TestThreads.shared) { try await World() }

    static let evilName = #"<b title="x">Ada & 'Co'</b>"#
    static let evilComment = "<script>alert(\"1\")</script>\n& 'twice' <img src=x>"

    private init() async throws {
        // However long the tests take, its people stay signed in.
        server = try await TestServer(settings: ["ACCESS_TOKEN_MINUTES": "1440"])
        rob = try await server.makeUser("rob")
        ada = try await server.makeUser("ada")
        _ = try await server.makeUser("newbie")
        let session = try server.database.session()
        _ = try session.query(
            "UPDATE users SET display_name = $1 WHERE username = 'ada'", [.text(Self.evilName)])
        try put(
            rob,
            [
                ["gameId": 71, "platformId": 6, "comment": "The cake is a lie."],
                ["gameId": 120, "platformId": 48],
                ["gameId": 117, "platformId": 48, "comment": "Trico.\n\nGood boy."],
            ])
        try put(
            ada,
            [
                ["gameId": 120, "platformId": 48, "comment": Self.evilComment],
                ["gameId": 71, "platformId": 6],
            ])
        _ = try session.query(
            """
            INSERT INTO users (username, display_name)
            SELECT 'filler-' || n, 'Filler ' || n FROM generate_series(1, 60) n
            """)
        _ = try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            SELECT u.id, 1, g.game_id, 9
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n
                  FROM users WHERE username LIKE 'filler-%') u
            JOIN (SELECT game_id, row_number() OVER (ORDER BY game_id) AS n
                  FROM game_platforms WHERE platform_id = 9 AND game_id <> 73) g USING (n)
            """)
        _ = try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT u.id, 2, 73, 12, 'Shepard.'
            FROM users u WHERE username LIKE 'filler-%' ORDER BY username LIMIT 35
            """)
    }

    private func put(_ token: String, _ entries: [[String: Any]]) throws {
        let body = try JSONSerialization.data(withJSONObject: ["entries": entries])
        let response = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: String(decoding: body, as: UTF8.self))
        guard response.status == 200 else { throw TestFailure("PUT: \(response.text)") }
    }

    func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawResponse {
        try server.send("GET", target, fields: fields)
    }
}
