import Foundation
import IGDB
import TestSupport
import Testing

@Suite("The stand-in for IGDB", .blocking)
struct StandInTests {
    private func mint(_ standIn: IGDBStandIn, _ form: String) throws -> RawResponse {
        try standIn.send(
            "POST", "/oauth2/token",
            fields: [("Content-Type", "application/x-www-form-urlencoded")], body: form)
    }

    private static let form =
        "client_id=client-4711&client_secret=very+secret%3A+1%2B1%3D2+%26+100%25"
        + "&grant_type=client_credentials"

    private func token(_ standIn: IGDBStandIn) throws -> String {
        let response = try mint(standIn, Self.form)
        return try #require(try response.object["access_token"] as? String)
    }

    private func ask(
        _ standIn: IGDBStandIn, _ token: String, _ body: String = "fields name;",
        endpoint: String = "games", id: String = IGDBStandIn.clientID
    ) throws -> RawResponse {
        try standIn.send(
            "POST", "/v4/\(endpoint)",
            fields: [("Client-ID", id), ("Authorization", "Bearer \(token)")], body: body)
    }

    @Test("mints a token for the right credentials only")
    func minting() throws {
        let standIn = try IGDBStandIn()
        for (form, status, message) in [
            ("client_id=x", 400, "invalid client"),
            ("client_id=client-4711&client_secret=x", 403, "invalid client secret"),
            (Self.form + "x", 400, "invalid grant type"),
        ] {
            let response = try mint(standIn, form)
            #expect(response.status == status)
            #expect(try response.object["message"] as? String == message)
        }
        let response = try mint(standIn, Self.form)
        #expect(response.status == 200)
        #expect(try response.object["token_type"] as? String == "bearer")
        #expect(try standIn.log().minted == 1)
    }

    @Test("ends the oldest token when there are twenty-five, or all when told to")
    func twentyFive() throws {
        let standIn = try IGDBStandIn()
        try standIn.setRate(1000)
        let tokens = try (0..<26).map { _ in try token(standIn) }
        #expect(try ask(standIn, tokens[0]).status == 401)
        #expect(try ask(standIn, tokens[1]).status == 200)
        #expect(try ask(standIn, tokens[25]).status == 200)
        #expect(try ask(standIn, tokens[25], id: "other").status == 401)
        try standIn.endTokens()
        #expect(try ask(standIn, tokens[25]).status == 401)
    }

    @Test("takes four requests in a second and no more")
    func rate() async throws {
        let standIn = try IGDBStandIn()
        let token = try token(standIn)
        var statuses: [Int] = []
        try await eventually("a refusal") {
            statuses.append(try ask(standIn, token).status)
            return statuses.last != 200
        }
        #expect(statuses.last == 429)
        #expect(statuses.count >= 5)
        let log = try standIn.log()
        #expect(log.refused == 1)
        let taken = log.questions.filter { $0.status == 200 }.map(\.at)
        for (first, fifth) in zip(taken, taken.dropFirst(4)) { #expect(fifth - first >= 999) }
    }

    @Test("refuses as IGDB does")
    func refusals() throws {
        let standIn = try IGDBStandIn()
        try standIn.setRate(1000)
        let token = try token(standIn)
        let eleven = (0..<11).map { "query games \"\($0)\" { fields name; };" }.joined()
        for (endpoint, body, status, text) in [
            ("games", "fields name", 400, "Syntax Error"),
            ("games", "fields nope;", 400, "Invalid field name: 'nope'"),
            ("games", "fields cover.nope;", 400, "Invalid field name: 'nope'"),
            ("games", "where nope = 1;", 400, "Invalid field name: 'nope'"),
            ("games", "search Diablo;", 400, "Expecting a STRING as input"),
            ("games", "limit 501;", 403, "You typed in 501 as limit"),
            ("games", "search \"a\"; sort name asc;", 406, "sort is not applicable on search"),
            ("gamez", "fields name;", 404, "Endpoint POST /gamez not found"),
            ("multiquery", eleven, 400, "Too Many Concurrent queries"),
            ("games", String(repeating: " ", count: 32_001), 413, "Request Too Large"),
        ] {
            let response = try ask(standIn, token, body, endpoint: endpoint)
            #expect(response.status == status, "\(body.prefix(50))")
            #expect(response.text.contains(text), "\(response.text)")
        }
    }

    @Test("finds whole words and aliases by searching, and beginnings by slugs")
    func finding() throws {
        let standIn = try IGDBStandIn()
        try standIn.setRate(1000)
        let token = try token(standIn)
        for (body, ids) in [
            ("search \"hollow k\";", []), ("search \"botw\"; limit 1;", [1030]),
            ("search \"pokemon\";", []), ("search \"gta v\"; limit 1;", [1050]),
            ("where slug ~ *\"hollow-k\"*; sort total_rating_count desc; limit 2;", [1001, 1002]),
            ("where name ~ \"ico\";", [1040]), ("where name = \"ico\";", []),
            ("where name ~ \"hollow k\"* & version_parent = null & game_type = 0;", [1001, 1002]),
            ("where id = (1061, 1062, 5); sort id desc;", [1062, 1061]),
            ("where id = (1061, 1062); sort id asc; offset 1;", [1062]),
        ] {
            let games = try ask(standIn, token, body).json as? [[String: Any]]
            #expect(games?.compactMap { $0["id"] as? Int } == ids, "\(body)")
        }
    }

    @Test("ends when nobody holds it any more")
    func ends() async throws {
        var standIn: IGDBStandIn? = try IGDBStandIn()
        let port = try #require(standIn?.port)
        standIn = nil
        try await eventually("its end") { (try? RawConnection(port: port)) == nil }
    }
}
