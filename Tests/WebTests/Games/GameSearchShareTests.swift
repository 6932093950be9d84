import Foundation
import TestSupport
import Testing

/// The whole server with a stand-in for IGDB beside it, which keeps its responses back, so that searches
/// queue, and nothing depends on how fast they come.
@Suite("A flood of searches", .blocking)
struct GameSearchShareTests {
    private static func run(_ body: (TestServer, IGDBStandIn) async throws -> Void) async throws {
        let igdb = try IGDBStandIn()
        let settings = [
            "IGDB_CLIENT_ID": IGDBStandIn.clientID,
            "IGDB_CLIENT_SECRET": IGDBStandIn.clientSecret, "IGDB_URL": igdb.url,
            "TWITCH_TOKEN_URL": igdb.tokenURL, "TRUSTED_PROXIES": "127.0.0.1",
            "ADMIN_LISTEN": "127.0.0.1:0",
            // However busy the machine is.
            "IGDB_WAIT_SECONDS": "120", "DATABASE_WAIT_SECONDS": "120",
        ]
        try await TestServer.run(settings: settings) { server in
            // With this, a token is there.
            _ = try server.send("GET", "/api/v1/games?search=portal")
            try igdb.hold(true)
            try await body(server, igdb)
        }
    }

    /// Waits until the server has taken all these searches: IGDB is asked, they wait for their turns,
    /// or the catalogue was searched.
    private static func settle(
        _ searches: [RawConnection], _ server: TestServer, _ igdb: IGDBStandIn
    ) async throws {
        try await eventually("all searches") {
            let responded = searches.count { $0.hasInput }
            let asked = try igdb.log().open
            let monitor = try RawConnection(port: server.adminPort)
            try monitor.send(
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let metrics = try monitor.readResponse().text
            let waiting = metrics.firstMatch(of: /fave_igdb_waiting_requests (\d+)/)
            return responded + asked + (waiting.flatMap { Int($0.1) } ?? 0) == searches.count
        }
    }

    /// Sends a search without waiting for the response.
    private static func search(
        _ server: TestServer, _ text: String, from address: String, token: String? = nil,
        path: String = "/api/v1/games"
    ) throws -> RawConnection {
        let connection = try RawConnection(port: server.port)
        try connection.send(
            "GET \(path)?search=\(text) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(address)\r\n"
                + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n")
        return connection
    }

    /// The places of some searches in the order in which IGDB was asked.
    private static func places(_ igdb: IGDBStandIn, of texts: [String]) throws -> [Int] {
        let bodies = try igdb.log().questions.map(\.body)
        return try texts.map { text in
            try #require(bodies.firstIndex { $0.contains("\"\(text)\"") }, "\(text)")
        }
    }

    @Test("leaves others their turns, and gets no more than a share of what waits")
    func flood() async throws {
        try await Self.run { server, igdb in
            let flood = try (0..<30).map { number in
                try Self.search(
                    server, "flood\(number)", from: "192.0.2.1",
                    path: number % 2 == 0 ? "/api/v1/games" : "/api/v0/games")
            }
            try await Self.settle(flood, server, igdb)
            let other = try Self.search(server, "zelda", from: "192.0.2.2")
            try await Self.settle(flood + [other], server, igdb)
            try igdb.hold(false)
            #expect(try other.readResponse().text.contains(#""source":"igdb""#))
            let place = try Self.places(igdb, of: ["zelda"])[0]
            #expect(place <= Self.next, "the flood has thirty before it")
            let responses = try flood.map { try $0.readResponse() }
            #expect(responses.allSatisfy { $0.status == 200 })
            // The catalogue is searched where IGDB isn't asked.
            let asked = try igdb.log().questions.count { $0.body.contains("flood") }
            #expect(Self.share.contains(asked))
        }
    }

    /// The place of whoever is next or next but one, behind the first search and the eight that may be
    /// open at once.
    private static let next = 10
    /// How many searches of a flood IGDB is asked: three beside the first search of the same second
    /// or, as time passes, up to eight that are open, and eight that wait.
    private static let share = 11...16

    @Test("is one client's from all networks of a site")
    func site() async throws {
        try await Self.run { server, igdb in
            let flood = try (0..<30).map { number in
                try Self.search(
                    server, "flood\(number)", from: "2001:db8:1:\(200 + number % 10)::1")
            }
            try await Self.settle(flood, server, igdb)
            try igdb.hold(false)
            _ = try flood.map { try $0.readResponse() }
            let asked = try igdb.log().questions.count { $0.body.contains("flood") }
            #expect(Self.share.contains(asked))
        }
    }

    @Test("lets people who are signed in go first, with a token or in the browser")
    func signedIn() async throws {
        try await Self.run { server, igdb in
            let token = try await server.makeUser("rob")
            let browser = Browser(server)
            try browser.signUp("ada")
            let cookie = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let strangers = try (0..<24).map {
                try Self.search(server, "stranger\($0)", from: "192.0.2.\($0)")
            }
            try await Self.settle(strangers, server, igdb)
            let rob = try Self.search(server, "zelda", from: "192.0.2.100", token: token)
            let ada = try RawConnection(port: server.port)
            try ada.send(
                "GET /games?search=tetris HTTP/1.1\r\nHost: fave.example\r\n"
                    + "X-Forwarded-For: 192.0.2.101\r\nCookie: \(cookie)\r\n\r\n")
            try await Self.settle(strangers + [rob, ada], server, igdb)
            try igdb.hold(false)
            #expect(try rob.readResponse().status == 200)
            #expect(try ada.readResponse().status == 200)
            for stranger in strangers { _ = try stranger.readResponse() }
            let places = try Self.places(igdb, of: ["zelda", "tetris"])
            #expect(places.allSatisfy { $0 <= Self.next }, "\(places)")
        }
    }
}
