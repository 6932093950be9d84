import Foundation
import TestSupport
import Testing

/// The other end of the wire has not heard the response, and sends the request again.
@Suite("A POST with an Idempotency-Key", .blocking)
struct IdempotencyTests {
    private static let key = "8e03978e-40d5-43e8-bc93-6894a57f9324"
    private static let portal = #"{"gameId": 71, "platformId": 6}"#

    private static func post(
        _ person: Person, _ json: String = portal, key: String = key,
        fields: [(String, String)] = []
    ) throws -> RawResponse {
        try person.send(
            "POST", "/me/list/entries", json, fields: fields + [("Idempotency-Key", key)])
    }

    @Test("is done once, and has the same response again")
    func once() async throws {
        try await Person.with { rob in
            let first = try Self.post(rob)
            #expect(first.status == 201)
            #expect(first["idempotency-replayed"] == nil)
            let again = try Self.post(rob)
            #expect(again.status == 201)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.bytes == first.bytes)
            #expect(again["location"] == first["location"])
            #expect(first["etag"] != nil)
            #expect(again["etag"] == first["etag"])
            // In quotation marks, as the draft has it.
            #expect(try Self.post(rob, key: "\"\(Self.key)\"").bytes == first.bytes)
            #expect(try rob.games() == [71])
            // The response is of when it was made, whatever came after.
            let location = try #require(first["location"])
            #expect(try rob.server.send("DELETE", location, token: rob.token).status == 204)
            #expect(try Self.post(rob).bytes == first.bytes)
            #expect(try rob.games() == [])
        }
    }

    @Test("has its response again even if it could not be done any more")
    func full() async throws {
        try await Person.with { rob in
            let list = try #require(try rob.send("GET", "/me/list")["etag"])
            let first = try Self.post(rob, fields: [("If-Match", list)])
            try rob.put([(71, 6), (120, 48), (117, 48), (73, 9), (72, 130)])
            try expectProblem(Self.post(rob, key: "another-key-of-rob"), 409)
            #expect(try Self.post(rob, fields: [("If-Match", list)]).bytes == first.bytes)
        }
    }

    @Test("is refused with another body or at another address, and done for another person")
    func reused() async throws {
        try await Person.with { rob in
            let first = try Self.post(rob)
            let other = try Self.post(rob, #"{"gameId": 120, "platformId": 48}"#)
            try expectProblem(other, 422, "another request")
            #expect(try other.object.string("type")?.hasSuffix("/idempotency-key-reused") == true)
            let v0 = try rob.server.send(
                "POST", "/api/v0/my-fave-games", token: rob.token,
                fields: [("Idempotency-Key", Self.key)], json: Self.portal)
            #expect(v0.status == 422)
            #expect(try rob.games() == [71])
            let list = try #require(try rob.send("GET", "/me/list")["etag"])
            for condition in [list, "*"] {
                try expectProblem(
                    Self.post(rob, fields: [("If-Match", condition)]), 422, "another request")
            }
            let eve = try await Person(server: rob.server, token: rob.server.makeUser("eve"))
            let hers = try Self.post(eve)
            #expect(hers.status == 201)
            #expect(try hers.object.string("id") != first.object.string("id"))
        }
    }

    @Test("that was refused is tried again")
    func refused() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            try expectProblem(Self.post(rob), 409)
            try rob.put([])
            #expect(try Self.post(rob).status == 201)
        }
    }

    @Test(
        "must have a key of some length, in visible characters",
        arguments: [
            "", "short", "\"\"", String(repeating: "k", count: 129), "0123456789 abcdef",
            "0123456789abcd\"ef", "0123456789abcdé",
        ])
    func keys(key: String) async throws {
        let world = try await World.shared
        let response = try world.server.send(
            "POST", "/api/v1/me/list/entries", token: world.rob,
            fields: [("Idempotency-Key", key)], json: #"{"gameId": 73, "platformId": 9}"#)
        try expectProblem(response, 400, "Idempotency-Key")
    }

    @Test(
        "must have a key that no one can guess",
        arguments: [
            String(repeating: "0", count: 16), "abababababababab", "0000000000000001",
            String(repeating: "1234", count: 32), "1111-2222-3333-444",
        ])
    func guessableKeys(key: String) async throws {
        let world = try await World.shared
        let response = try world.server.send(
            "POST", "/api/v1/me/list/entries", token: world.rob,
            fields: [("Idempotency-Key", key)], json: #"{"gameId": 73, "platformId": 9}"#)
        try expectProblem(response, 422, "at least 8 different characters")
    }

    @Test("is forgotten after a day, even if housekeeping is late, and can be sent anew")
    func age() async throws {
        try await Person.with { rob in
            #expect(try Self.post(rob).status == 201)
            let session = try rob.server.database.session()
            func age(_ interval: String) throws {
                try session.execute(
                    "UPDATE idempotency_records SET made_at = now() - interval '\(interval)'")
            }
            try age("23 hours 59 minutes")
            #expect(try Self.post(rob)["idempotency-replayed"] == "true")
            try age("24 hours 1 second")
            // Carried out again, it finds the game on the list.
            try expectProblem(Self.post(rob), 409)
            try rob.put([])
            let again = try Self.post(rob)
            #expect(again.status == 201 && again["idempotency-replayed"] == nil)
            #expect(try rob.games() == [71])
            #expect(try Self.post(rob).bytes == again.bytes)
            #expect(try rob.server.count("idempotency_records") == 1)
            // It isn't compared with another request either.
            try age("25 hours")
            let other = #"{"gameId": 120, "platformId": 48}"#
            #expect(try Self.post(rob, other).status == 201)
        }
    }

    @Test("sent by many at once makes one thing")
    func race() async throws {
        try await Person.with { rob in
            let connections = try (0..<12).map { _ in try RawConnection(port: rob.server.port) }
            for connection in connections {
                try connection.send(
                    """
                    POST /api/v1/me/list/entries HTTP/1.1\r\nHost: x\r\n\
                    Authorization: Bearer \(rob.token)\r\nIdempotency-Key: \(Self.key)\r\n\
                    Content-Type: application/json\r\n\
                    Content-Length: \(Self.portal.utf8.count)\r\n\r\n\(Self.portal)
                    """)
            }
            var responses = try connections.map { try $0.readResponse() }
            // On a busy machine, the first can take longer than the others wait for it.
            while let index = responses.firstIndex(where: { $0.status == 409 }) {
                try expectProblem(responses[index], 409, "Send it again in a second")
                #expect(responses[index]["retry-after"] == "1")
                responses[index] = try Self.post(rob)
            }
            #expect(responses.allSatisfy { $0.status == 201 })
            #expect(Set(responses.map(\.text)).count == 1)
            #expect(responses.filter { $0["idempotency-replayed"] == nil }.count == 1)
            #expect(try rob.games() == [71])
        }
    }

    @Test("makes an account once, and tells another password from the first")
    func signingUp() async throws {
        try await TestServer.run { server in
            func signUp(_ password: String = "daisy hammer 77") throws -> RawResponse {
                try server.send(
                    "POST", "/api/v1/users", fields: [("Idempotency-Key", Self.key)],
                    json: #"{"username": "rob", "password": "\#(password)"}"#)
            }
            let first = try signUp()
            #expect(first.status == 201)
            let again = try signUp()
            #expect(again.status == 201)
            #expect(again.bytes == first.bytes)
            #expect(again["location"] == "/api/v1/users/rob")
            try expectProblem(signUp("another hammer 77"), 422, "another request")
            let stored: String = try server.database.session().query(
                "SELECT string_agg(k::text, '') FROM idempotency_records k")[0][0]
            #expect(!stored.contains("hammer"))
            #expect(!stored.contains(Self.key))
        }
    }

    @Test("makes one account, however many names it is sent with at once")
    func signUpRace() async throws {
        try await TestServer.run { server in
            let connections = try (0..<6).map { _ in try RawConnection(port: server.port) }
            for (number, connection) in connections.enumerated() {
                let body =
                    #"{"username": "rob\#(number)-\#(number)", "password": "daisy hammer 77"}"#
                try connection.send(
                    """
                    POST /api/v1/users HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \(Self.key)\r\n\
                    Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\
                    \(body)
                    """)
            }
            let responses = try connections.map { try $0.readResponse() }
            #expect(responses.filter { $0.status == 201 }.count == 1)
            for response in responses where response.status != 201 {
                #expect([409, 422].contains(response.status), "\(response.text)")
            }
            let count: Int = try server.database.session().query("SELECT count(*) FROM users")[0][0]
            #expect(count == 1)
        }
    }

    @Test("is known with the latest hundred of its user")
    func bounds() async throws {
        try await Person.with { rob in
            #expect(try Self.post(rob).status == 201)
            let session = try rob.server.database.session()
            _ = try session.query(
                """
                INSERT INTO idempotency_records (key_hash, fingerprint, user_id, response, made_at)
                SELECT sha256(n::text::bytea), sha256('x'), id, '', now() - n * interval '1 minute'
                FROM users CROSS JOIN generate_series(1, 150) n WHERE username = 'rob'
                """)
            let other = #"{"gameId": 120, "platformId": 48}"#
            #expect(try Self.post(rob, other, key: "another-key-of-rob").status == 201)
            let count: Int = try session.query("SELECT count(*) FROM idempotency_records")[0][0]
            #expect(count == 100)
            #expect(try Self.post(rob)["idempotency-replayed"] == "true")
        }
    }

    @Test("is known with the latest thousand of a network whose people have no account")
    func boundsOfNetworks() async throws {
        let settings = ["TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(.migrated, settings: settings) { server in
            func signUp(_ name: String, from address: String) throws {
                let response = try server.send(
                    "POST", "/api/v1/users",
                    fields: [
                        ("Idempotency-Key", "key-of-the-person-\(name)"),
                        ("X-Forwarded-For", address),
                    ], json: #"{"username": "\#(name)", "password": "daisy hammer 77"}"#)
                #expect(response.status == 201, "\(response.text)")
            }
            try signUp("rob", from: "203.0.113.1")
            try signUp("eve", from: "198.51.100.1")
            // As many again as are kept of rob's network, and older.
            try server.execute(
                """
                INSERT INTO idempotency_records (key_hash, fingerprint, network, response, made_at)
                SELECT sha256(n::text::bytea), r.fingerprint, r.network, '',
                       r.made_at - n * interval '1 minute'
                FROM generate_series(1, 1200) n,
                     (SELECT * FROM idempotency_records ORDER BY made_at LIMIT 1) r
                """)
            try signUp("ada", from: "203.0.113.1")
            let counts: [Int] = try server.database.session().query(
                """
                SELECT array_agg(n ORDER BY n)
                FROM (SELECT count(*) AS n FROM idempotency_records GROUP BY network) counts
                """)[0][0]
            #expect(counts == [1, 1000])
        }
    }

    @Test("reveals nothing of its response to someone who reads the database")
    func encryption() async throws {
        try await Person.with { rob in
            let response = try rob.send(
                "POST", "/circles", #"{"name": "Couch Club"}"#,
                fields: [("Idempotency-Key", Self.key)])
            #expect(response.status == 201)
            let session = try rob.server.database.session()
            let stored: String = try session.query(
                "SELECT encode(response, 'escape') FROM idempotency_records")[0][0]
            #expect(stored.utf8.count > 100)
            #expect(!stored.contains("Couch"))
            #expect(!stored.contains("location"))
        }
    }

    /// The count of attempts isn't part of the transaction, and a stolen token's session ends although
    /// the request fails.
    @Test("fails with the same effects as without a key")
    func effectsOfFailures() async throws {
        try await TestServer.run { server in
            func send(_ path: String, _ json: String, key: String) throws -> RawResponse {
                try server.send(
                    "POST", "/api/v1/\(path)", fields: [("Idempotency-Key", key)], json: json)
            }
            let name = #""username": "rob", "password": "daisy hammer 77""#
            #expect(try send("users", "{\(name)}", key: Self.key).status == 201)
            let wrong = #"{"username": "rob", "password": "wrong"}"#
            let attempts = try server.count("attempts")
            #expect(try send("sessions", wrong, key: "first-key-of-a-thief").status == 401)
            #expect(try server.count("attempts") > attempts)
            #expect(try server.count("idempotency_records") == 1)

            var bodies: [String] = []
            var response = try send("sessions", "{\(name)}", key: "a-key-for-the-session")
            for number in 1...2 {
                let token = try #require(try response.object.string("refreshToken"))
                bodies.append(#"{"refreshToken": "\#(token)"}"#)
                response = try send(
                    "sessions/refresh", bodies[number - 1], key: "key-of-refresh-\(number)")
                #expect(response.status == 200)
            }
            let token = try #require(try response.object.string("refreshToken"))
            let latest = #"{"refreshToken": "\#(token)"}"#
            #expect(
                try send("sessions/refresh", bodies[0], key: "key-of-someone-else").status == 401)
            #expect(try send("sessions/refresh", latest, key: "key-of-refresh-3").status == 401)
            #expect(try server.count("sessions") == 0)
        }
    }

    @Test("is refused where it means nothing")
    func meaningless() async throws {
        let world = try await World.shared
        for (method, path) in [
            ("GET", "/me"), ("PATCH", "/me"), ("DELETE", "/me/import"),
            ("POST", "/circle-invitations"),
        ] {
            let response = try world.server.send(
                method, "/api/v1\(path)", token: world.rob,
                fields: [("Idempotency-Key", Self.key)], json: method == "POST" ? "{}" : nil)
            try expectProblem(response, 400, "takes no \"Idempotency-Key\"")
        }
    }

    /// Two people who run the same program send the same key and the same body.
    @Test("belongs to the token's user, whatever the token allows")
    func owners() async throws {
        try await TestServer.run(settings: ["SIGN_UP": "invite"]) { server in
            var links: Set<String> = []
            for name in ["rob", "eve"] {
                let made = try server.send(
                    "POST", "/api/v1/me/tokens", token: try await server.makeUser(name),
                    json: #"{"name": "Script", "scopes": ["account"]}"#)
                let token = try made.object.string("token")
                let response = try server.send(
                    "POST", "/api/v1/me/invitations", token: token,
                    fields: [("Idempotency-Key", Self.key)], json: "{}")
                #expect(response.status == 201, "\(response.text)")
                #expect(response["idempotency-replayed"] == nil)
                links.insert(try response.object.string("link") ?? "")
            }
            #expect(links.count == 2)
            #expect(try server.count("idempotency_records WHERE user_id IS NOT NULL") == 2)
        }
    }

    @Test("is no way to guess a password without limits")
    func guesses() async throws {
        try await TestServer.run { server in
            func signIn(_ password: String) throws -> RawResponse {
                try server.send(
                    "POST", "/api/v1/sessions", fields: [("Idempotency-Key", Self.key)],
                    json: #"{"username": "rob", "password": "\#(password)"}"#)
            }
            let body = #"{"username": "rob", "password": "daisy hammer 77"}"#
            #expect(try server.send("POST", "/api/v1/users", json: body).status == 201)
            #expect(try signIn("daisy hammer 77").status == 201)
            try expectProblem(signIn("a guess"), 422, "another request")
            var statuses: Set<Int> = []
            for _ in 0..<60 { statuses.insert(try signIn("a guess").status) }
            #expect(statuses == [422, 429])
            // A lucky guess comes too late.
            #expect(try signIn("daisy hammer 77").status == 429)
        }
    }

    @Test("is no way to guess a password from many addresses, or with someone's token, either")
    func guessesFromEverywhere() async throws {
        let settings = ["TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(settings: settings) { server in
            func send(
                _ path: String, _ json: String, token: String? = nil, from address: Int
            ) throws -> Int {
                try server.send(
                    "POST", "/api/v1" + path, token: token,
                    fields: [
                        ("Idempotency-Key", Self.key), ("X-Forwarded-For", "203.0.113.\(address)"),
                    ], json: json
                ).status
            }
            func signIn(_ password: String, from address: Int) throws -> Int {
                try send(
                    "/sessions", #"{"username": "rob", "password": "\#(password)"}"#, from: address)
            }
            let token = try await server.makeUser("ada")
            let body = #"{"username": "rob", "password": "daisy hammer 77"}"#
            #expect(try server.send("POST", "/api/v1/users", json: body).status == 201)
            #expect(try signIn("daisy hammer 77", from: 1) == 201)
            let statuses = try (0..<40).map { try signIn("a guess", from: 10 + $0) }
            #expect(statuses.prefix(30).allSatisfy { $0 == 422 } && statuses.contains(429))
            #expect(try signIn("daisy hammer 77", from: 100) == 429)

            // Copies of the same request are not limited.
            let circle = #"{"name": "Couch Club"}"#
            for _ in 0..<40 {
                #expect(try send("/circles", circle, token: token, from: 101) == 201)
            }
            let others = try (0..<40).map {
                try send("/circles", #"{"name": "Club \#($0)"}"#, token: token, from: 102 + $0)
            }
            #expect(others.prefix(30).allSatisfy { $0 == 422 } && others.contains(429))
            #expect(try send("/circles", circle, token: token, from: 150) == 429)
        }
    }
}
