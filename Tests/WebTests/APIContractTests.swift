import Foundation
import JSON
import TestSupport
import Testing

@Suite("Answers of the API are what the document says", .blocking, .timeLimit(.minutes(2)))
struct APIContractTests {
    private struct Request {
        let id: String
        let target: String
        var token: String?
        var json: String?
        var fields: [(String, String)] = []
        var type = "application/json"

        init(
            _ id: String, _ target: String, token: String? = nil, body: String, type: String
        ) {
            self.init(id, target, token: token, json: body)
            self.type = type
        }

        init(
            _ id: String, _ target: String, token: String? = nil, json: String? = nil,
            fields: [(String, String)] = []
        ) {
            self.id = id
            self.target = target
            self.token = token
            self.json = json
            self.fields = fields
        }
    }

    private let contract: APIContract

    init() throws { contract = try APIContract() }

    /// Sends a request, and checks what comes back.
    @discardableResult
    private func check(
        _ request: Request, _ status: Int, on server: TestServer,
        at location: SourceLocation = #_sourceLocation
    ) throws -> RawResponse {
        let operation = try contract.document.operation(request.id)
        let response = try server.send(
            operation.method, request.target, token: request.token, fields: request.fields,
            json: request.json, type: request.type)
        #expect(
            response.status == status, "\(operation.name): \(response.text)",
            sourceLocation: location)
        let faults = try contract.faults(of: response, request.id)
        #expect(faults == [], sourceLocation: location)
        return response
    }

    private static let list = """
        {"entries": [{"gameId": 71, "platformId": 6, "comment": "Still.", "rating": 5,
        "tags": ["puzzle"]}, {"gameId": 120, "platformId": 48}]}
        """
    private static let account = #"{"username": "newcomer", "password": "tulip staple 42"}"#

    @Test("when all is well, at every operation")
    func successes() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            var seen: Set<String> = []
            func check(_ request: Request, _ status: Int = 200) throws -> [String: Any] {
                seen.insert(request.id)
                let response = try self.check(request, status, on: server)
                return (try? response.object) ?? [:]
            }
            func read(_ id: String, _ target: String, token: String? = nil) throws {
                _ = try check(Request(id, target, token: token))
            }

            _ = try check(
                Request(
                    "replaceMyList", "/api/v1/me/list", token: rob, json: Self.list,
                    fields: [("If-Match", "*")]))
            try read("listPlatforms", "/api/v1/platforms")
            try read("getPlatform", "/api/v1/platforms/win")
            try read("getRanking", "/api/v1/platforms/win/ranking")
            try read("listInclusions", "/api/v1/platforms/6/games/71/entries")
            try read("listGames", "/api/v1/games?search=portal&platform=6")
            try read("getGame", "/api/v1/games/71")
            try read("listStandings", "/api/v1/games/71/standings")
            try read("listRelatedGames", "/api/v1/games/71/related")
            try read("listRecentLists", "/api/v1/lists")
            try read("listListCards", "/api/v1/users/rob/list/cards")
            try read("listRankingCards", "/api/v1/platforms/win/ranking/cards")
            try read("listEntries", "/api/v1/entries?limit=1")
            try read("searchUsers", "/api/v1/users?search=rob")
            try read("getUser", "/api/v1/users/rob")
            try read("getList", "/api/v1/users/rob/list")
            try read("getMe", "/api/v1/me", token: rob)
            try read("getMyList", "/api/v1/me/list", token: rob)
            try read("getDocument", "/api/v1/openapi.json")
            try read("ping", "/ping")
            try read("health", "/health")
            try read("getKeys", "/.well-known/jwks.json")
            try read("getOEmbed", "/oembed?url=https://fave.example/@rob")
            try read("getOEmbed", "/oembed?url=https://fave.example/@rob&format=xml")

            func keep() throws -> String? {
                try check(
                    Request(
                        "keepList", "/api/v1/me/kept-lists", token: rob,
                        json: #"{"title": "My five then"}"#,
                        fields: [("Idempotency-Key", "fedcba9876543210")]), 201
                ).string("slug")
            }
            let slug = try #require(try keep())
            #expect(try keep() == slug)
            try read("listKeptLists", "/api/v1/users/rob/kept-lists")
            try read("getKeptList", "/api/v1/users/rob/kept-lists/\(slug)")
            try read("listMyKeptLists", "/api/v1/me/kept-lists", token: rob)
            try read("getMyKeptList", "/api/v1/me/kept-lists/\(slug)", token: rob)
            _ = try check(
                Request("deleteKeptList", "/api/v1/me/kept-lists/\(slug)", token: rob), 204)

            let me = try check(Request("v0GetMe", "/api/v0/users/me", token: rob))
            let digest = try #require(me.string("userId"))
            try read("v0Ping", "/api/v0/ping")
            try read("v0ListGames", "/api/v0/games?search=portal")
            try read("v0GetGame", "/api/v0/games/71")
            try read("v0ListPlatforms", "/api/v0/platforms?searchTerm=playstation")
            try read("v0ListPlatformGames", "/api/v0/platform-fave-games/win")
            try read("v0SearchUsers", "/api/v0/users?search=rob")
            try read("v0GetUser", "/api/v0/users/\(digest)")
            try read("v0ListMyGames", "/api/v0/my-fave-games", token: rob)
            try read("v0ListGamesOf", "/api/v0/my-fave-games/\(digest)")
            let ours = try check(
                Request(
                    "v0AddMyGame", "/api/v0/my-fave-games", token: rob,
                    json: #"{"gameId": "117", "platformId": 48}"#), 201
            ).string("id")
            let v0Entry = "/api/v0/my-fave-games/\(try #require(ours))"
            _ = try check(
                Request("v0ChangeMyGame", v0Entry, token: rob, json: #"{"reasons": "Trico."}"#))
            _ = try check(Request("v0RemoveMyGame", v0Entry, token: rob))

            func add() throws -> String? {
                try check(
                    Request(
                        "addEntry", "/api/v1/me/list/entries", token: rob,
                        json: #"{"gameId": 117, "platformId": 48, "position": 1}"#,
                        fields: [("Idempotency-Key", "0123456789abcdef")]), 201
                ).string("id")
            }
            let added = try add()
            #expect(try add() == added)
            let entry = "/api/v1/me/list/entries/\(try #require(added))"
            try read("getMyEntry", entry, token: rob)
            _ = try check(
                Request(
                    "changeEntry", entry, token: rob, json: #"{"rating": null, "position": 2}"#))
            _ = try check(Request("removeEntry", entry, token: rob), 204)
            _ = try check(
                Request("changeMe", "/api/v1/me", token: rob, json: #"{"bio": "I play."}"#))
            try read("listSessions", "/api/v1/me/sessions", token: rob)
            _ = try check(
                Request("endSession", "/api/v1/me/sessions/\(UUID())", token: rob), 204)
            try read("listFormerUsernames", "/api/v1/me/former-usernames", token: rob)
            _ = try check(
                Request("giveUpUsername", "/api/v1/me/former-usernames/robert", token: rob), 204)

            let csv = "name,platform,rating,review\nPortal,PC,5,Still.\nNothing,,,\n"
            _ = try check(
                Request(
                    "importGames", "/api/v1/me/import", token: rob, body: csv, type: "text/csv"),
                202)
            try read("getImport", "/api/v1/me/import", token: rob)
            for _ in 0..<200 where try server.count("imports WHERE state = 'running'") > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            try read("listImportRows", "/api/v1/me/import/rows", token: rob)
            try read("listImportRows", "/api/v1/me/import/rows?leftOut=true", token: rob)
            try read("exportMe", "/api/v1/me/export", token: rob)
            try read("getMyListFile", "/api/v1/me/list.csv", token: rob)
            _ = try check(Request("deleteImport", "/api/v1/me/import", token: rob), 204)

            _ = try check(
                Request(
                    "makeToken", "/api/v1/me/tokens", token: rob,
                    json: #"{"name": "Sheet", "scopes": ["read"]}"#), 201)
            try read("listTokens", "/api/v1/me/tokens", token: rob)
            _ = try check(
                Request("revokeToken", "/api/v1/me/tokens/\(UUID())", token: rob), 204)

            let ada = try await server.makeUser("ada")
            let adas = try check(
                Request(
                    "replaceMyList", "/api/v1/me/list", token: ada, json: Self.list,
                    fields: [("If-Match", "*")]))
            let first = try #require((adas["entries"] as? [[String: Any]])?.first?.string("id"))
            let heart = "/api/v1/entries/\(first)/heart"
            for target in ["/api/v1/me/following/ada", heart] {
                let id = target == heart ? "giveHeart" : "follow"
                _ = try check(Request(id, target, token: rob), 204)
            }
            try read("getHearts", heart)
            try read("getHearts", heart, token: rob)
            try read("listFollowing", "/api/v1/me/following", token: rob)
            try read("listFollowedEntries", "/api/v1/me/following/entries", token: rob)
            try read("listFollowers", "/api/v1/me/followers", token: ada)
            try read("listSimilar", "/api/v1/users/rob/similar")
            try read("getShared", "/api/v1/users/ada/shared", token: rob)
            _ = try check(Request("makeFollowFeed", "/api/v1/me/following/feed", token: rob), 201)
            _ = try check(
                Request("removeFollowFeed", "/api/v1/me/following/feed", token: rob), 204)
            _ = try check(Request("takeHeart", heart, token: rob), 204)
            _ = try check(Request("removeFollower", "/api/v1/me/followers/rob", token: ada), 204)
            _ = try check(Request("unfollow", "/api/v1/me/following/ada", token: rob), 204)

            let admin = try await server.makeUser("zoe")
            try server.execute("UPDATE users SET role = 'admin' WHERE username = 'zoe'")
            _ = try check(
                Request(
                    "report", "/api/v1/reports",
                    json: #"{"kind": "list", "username": "rob", "reason": "spam"}"#), 204)
            try read("listCases", "/api/v1/moderation/cases", token: admin)
            _ = try check(
                Request(
                    "decideCase", "/api/v1/moderation/cases/1/decision", token: admin,
                    json: #"{"decision": "hide_list", "reason": "Advertising."}"#), 204)
            try read("listModerationActs", "/api/v1/moderation/acts", token: admin)
            try read("listNotices", "/api/v1/me/notices", token: rob)
            _ = try check(
                Request("undoModerationAct", "/api/v1/moderation/acts/1/undo", token: admin), 204)
            try server.execute(
                "UPDATE users SET new_until = now() + interval '1 day' WHERE username = 'rob'")
            try read("listNewLists", "/api/v1/moderation/new-lists", token: admin)
            _ = try check(
                Request("approveNewList", "/api/v1/moderation/new-lists/rob", token: admin), 204)
            try read("listInvitations", "/api/v1/me/invitations", token: rob)
            _ = try check(
                Request("revokeInvitation", "/api/v1/me/invitations/\(UUID())", token: rob), 204)
            let made = try check(
                Request(
                    "makeCircle", "/api/v1/circles", token: rob,
                    json: #"{"name": "Club", "visibility": "public"}"#), 201
            ).string("id")
            let circle = "/api/v1/circles/\(try #require(made))"
            let link = try check(
                Request("inviteToCircle", "\(circle)/invitations", token: rob, json: "{}"), 201
            ).string("link")
            let body = #"{"invitation": "\#(try #require(link).suffix(43))"}"#
            _ = try check(
                Request("lookUpCircleInvitation", "/api/v1/circle-invitations", json: body))
            _ = try check(Request("joinCircle", "/api/v1/me/circles", token: admin, json: body))
            try read("listCircleInvitations", "\(circle)/invitations", token: rob)
            try read("listMyCircles", "/api/v1/me/circles", token: rob)
            try read("getCircle", circle)
            try read("getCircle", circle, token: rob)
            try read("getCircleRankings", "\(circle)/rankings")
            try read("getCircleRanking", "\(circle)/platforms/win/ranking")
            try read("listCommonGames", "\(circle)/common-games", token: rob)
            try read("listCircleMembers", "\(circle)/members")
            let members = try check(
                Request("listCircleMembers", "\(circle)/members", token: rob)
            ).objects("members")
            let member = try #require(members.last?.string("id"))
            _ = try check(
                Request(
                    "changeCircle", circle, token: rob, json: #"{"description": "Tuesdays."}"#))
            _ = try check(
                Request(
                    "hideCircle", "/api/v1/moderation/circles/\(try #require(made))/hide",
                    token: admin, json: #"{"reason": "Advertising."}"#), 204)
            _ = try check(
                Request(
                    "revokeCircleInvitation", "\(circle)/invitations/\(UUID())", token: rob), 204)
            _ = try check(
                Request(
                    "handOverCircle", "\(circle)/owner", token: rob,
                    json: #"{"member": "\#(member)"}"#), 204)
            let former = try check(
                Request("listCircleMembers", "\(circle)/members", token: admin)
            ).objects("members").last?.string("id")
            _ = try check(
                Request(
                    "removeCircleMember", "\(circle)/members/\(try #require(former))",
                    token: admin), 204)
            _ = try check(
                Request("leaveCircle", "/api/v1/me/circles/\(UUID())", token: rob), 204)
            _ = try check(Request("deleteCircle", circle, token: admin), 204)
            let other = try await TestServer.on(
                server.database,
                settings: [
                    "SIGN_UP": "invite", "SMTP_URL": "smtp://127.0.0.1:1?tls=off",
                    "SMTP_FROM": "games@fave.example",
                ])
            for request in [
                Request("sendReset", "/api/v1/password-resets", json: #"{"account": "rob"}"#)
            ] {
                try self.check(request, 204, on: other)
                seen.insert(request.id)
            }
            try read("getMailAddress", "/api/v1/me/mail-address", token: rob)
            let invited = try self.check(
                Request("invite", "/api/v1/me/invitations", token: rob, json: "{}"), 201, on: other
            ).object
            seen.insert("invite")
            #expect(invited.string("link")?.hasPrefix("https://fave.example/sign-up?") == true)
            _ = try check(Request("signUp", "/api/v1/users", json: Self.account), 201)
            try server.execute(
                """
                INSERT INTO recovery_codes (user_id, hash)
                SELECT id, sha256(convert_to('recovery' || chr(10) || upper(id::text) || chr(10)
                                             || '0000-0000-0000-0000', 'UTF8'))
                FROM users WHERE username = 'newcomer'
                """)
            _ = try check(
                Request(
                    "recover", "/api/v1/recovery",
                    json: """
                        {"username": "newcomer", "code": "0000-0000-0000-0000",
                         "newPassword": "tulip staple 42"}
                        """), 204)
            func signIn() throws -> [String: Any] {
                try check(Request("signIn", "/api/v1/sessions", json: Self.account), 201)
            }
            let refresh = try #require(try signIn().string("refreshToken"))
            _ = try check(
                Request(
                    "refresh", "/api/v1/sessions/refresh",
                    json: #"{"refreshToken": "\#(refresh)"}"#))
            let own = try #require(try signIn().string("accessToken"))
            try self.check(
                Request(
                    "setMailAddress", "/api/v1/me/mail-address", token: own,
                    json: #"{"address": "me@mail.example", "password": "tulip staple 42"}"#), 204,
                on: other)
            await other.stop()
            seen.insert("setMailAddress")
            _ = try check(
                Request(
                    "removeMailAddress", "/api/v1/me/mail-address", token: own,
                    json: #"{"password": "tulip staple 42"}"#), 204)
            try read("exportMe", "/api/v1/me/export", token: signIn().string("accessToken"))
            let tokens = try (0..<3).map { _ in try signIn().string("accessToken") }
            _ = try check(
                Request("signOut", "/api/v1/sessions/current", token: tokens[0]), 204)
            _ = try check(Request("endSessions", "/api/v1/me/sessions", token: tokens[1]), 204)
            _ = try check(
                Request(
                    "changePassword", "/api/v1/me/password",
                    token: signIn().string("accessToken"),
                    json: """
                        {"currentPassword": "tulip staple 42", "newPassword": "carpet lemon 17"}
                        """), 204)
            _ = try check(Request("deleteMe", "/api/v1/me?username=rob", token: rob), 204)

            #expect(seen == Set(contract.document.operations.map(\.id)))
        }
    }

    @Test("when something is wrong")
    func errors() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            let none = UUID().uuidString.lowercased()
            let full = (1...5).map { _ in #"{"gameId": 71, "platformId": 6}"# }
            let cases: [(Request, Int)] = [
                (Request("listGames", "/api/v1/games"), 400),
                (Request("listEntries", "/api/v1/entries?cursor=mine"), 400),
                (Request("getGame", "/api/v1/games/2147483647"), 404),
                (Request("getRanking", "/api/v1/platforms/nothing/ranking"), 404),
                (Request("getUser", "/api/v1/users/nobody-here"), 404),
                (Request("getMe", "/api/v1/me"), 401),
                (Request("getMe", "/api/v1/me", token: "mine"), 401),
                (Request("signIn", "/api/v1/sessions", json: Self.account), 401),
                (Request("signIn", "/api/v1/sessions", json: "{"), 400),
                (Request("signIn", "/api/v1/sessions"), 415),
                (Request("signIn", "/api/v1/sessions", json: "[]"), 422),
                (Request("signUp", "/api/v1/users", json: #"{"username": "new"}"#), 422),
                (
                    Request(
                        "signUp", "/api/v1/users",
                        json: #"{"username": "rob", "password": "tulip staple 42"}"#), 409
                ),
                (
                    Request(
                        "signUp", "/api/v1/users",
                        json: #"{"username": "robert", "password": "password"}"#), 422
                ),
                (
                    Request(
                        "refresh", "/api/v1/sessions/refresh", json: #"{"refreshToken": ""}"#), 401
                ),
                (Request("signOut", "/api/v1/sessions/current", token: rob), 409),
                (
                    Request(
                        "changePassword", "/api/v1/me/password", token: rob,
                        json: #"{"newPassword": "tulip staple 42"}"#), 403
                ),
                (Request("deleteMe", "/api/v1/me?username=ada", token: rob), 400),
                (
                    Request(
                        "replaceMyList", "/api/v1/me/list", token: rob,
                        json: #"{"entries": [\#(full.joined(separator: ", "))]}"#,
                        fields: [("If-Match", "*")]), 409
                ),
                (Request("replaceMyList", "/api/v1/me/list", token: rob, json: Self.list), 428),
                (
                    Request(
                        "replaceMyList", "/api/v1/me/list", token: rob, json: Self.list,
                        fields: [("If-Match", "\"another\"")]), 412
                ),
                (
                    Request(
                        "addEntry", "/api/v1/me/list/entries", token: rob,
                        json: #"{"gameId": 71, "platformId": 48}"#), 422
                ),
                (Request("removeEntry", "/api/v1/me/list/entries/\(none)", token: rob), 404),
                (Request("giveHeart", "/api/v1/entries/\(none)/heart", token: rob), 404),
                (Request("getHearts", "/api/v1/entries/\(none)/heart"), 404),
                (Request("follow", "/api/v1/me/following/rob", token: rob), 409),
                (Request("follow", "/api/v1/me/following/nobody-here", token: rob), 404),
                (Request("getShared", "/api/v1/users/nobody-here/shared", token: rob), 404),
                (Request("getOEmbed", "/oembed?url=https://else.example/@rob"), 404),
                (Request("getOEmbed", "/oembed?url=x&format=yaml"), 501),
                (Request("ping", "/ping?%ff"), 400), (Request("health", "/health?%ff"), 400),
                (Request("v0ListGames", "/api/v0/games"), 400),
                (Request("v0GetUser", "/api/v0/users/\(none)"), 404),
                (Request("v0GetMe", "/api/v0/users/me"), 401),
                (Request("v0AddMyGame", "/api/v0/my-fave-games", token: rob), 415),
                (Request("v0AddMyGame", "/api/v0/my-fave-games", token: rob, json: "{}"), 422),
                (Request("v0RemoveMyGame", "/api/v0/my-fave-games/\(none)", token: rob), 404),
                (Request("v0GetGame", "/api/v0/games/%01"), 400),
                (
                    Request(
                        "listEntries",
                        "/api/v1/entries?search=\(String(repeating: "x", count: 9000))"), 414
                ),
                (
                    Request(
                        "getGame", "/api/v1/games/71",
                        fields: [("X-Long", String(repeating: "x", count: 40_000))]), 431
                ),
            ]
            for (request, status) in cases { try check(request, status, on: server) }
        }
    }

    @Test("to conditions, former names and other methods")
    func conditions() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            for (id, target) in [
                ("getGame", "/api/v1/games/71"), ("v0GetGame", "/api/v0/games/71"),
                ("getKeys", "/.well-known/jwks.json"), ("getMyList", "/api/v1/me/list"),
                ("getOEmbed", "/oembed?url=https://fave.example/@rob"),
            ] {
                let token = id == "getMyList" ? rob : nil
                let first = try check(Request(id, target, token: token), 200, on: server)
                let tag = try #require(first["etag"])
                try check(
                    Request(id, target, token: token, fields: [("If-None-Match", tag)]), 304,
                    on: server)
            }
            try check(
                Request("getGame", "/api/v1/games/71", fields: [("If-Match", "\"another\"")]), 412,
                on: server)
            try check(
                Request("changeMe", "/api/v1/me", token: rob, json: #"{"username": "robert"}"#),
                200, on: server)
            try check(Request("getUser", "/api/v1/users/rob"), 307, on: server)
            try check(Request("getList", "/api/v1/users/rob/list"), 307, on: server)
            try check(Request("listSimilar", "/api/v1/users/rob/similar"), 307, on: server)
            let other = try server.send("DELETE", "/api/v1/games/71")
            #expect(other.status == 405)
            let faults = try contract.faults(of: other, sharedAnswer: "MethodNotAllowed")
            #expect(faults == [])
            let unknown = try server.send("FOO", "/api/v1/games/71")
            #expect(unknown.status == 501)
            #expect(try contract.faults(of: unknown, sharedAnswer: "NotImplemented") == [])
        }
    }

    @Test("when there were too many requests")
    func rateLimits() async throws {
        let settings = ["API_READS_PER_MINUTE": "2", "API_WRITES_PER_MINUTE": "1", "CACHE": "off"]
        try await TestServer.run(settings: settings) { server in
            let first = try check(Request("getGame", "/api/v1/games/71"), 200, on: server)
            #expect(first["ratelimit"] != nil && first["ratelimit-policy"] != nil)
            try check(Request("v0GetGame", "/api/v0/games/71"), 200, on: server)
            let refused = try check(Request("getGame", "/api/v1/games/71"), 429, on: server)
            #expect(refused["retry-after"] != nil && refused["ratelimit"] != nil)
            let refusedV0 = try check(Request("v0GetGame", "/api/v0/games/71"), 429, on: server)
            #expect(refusedV0["retry-after"] != nil)
            try check(Request("signIn", "/api/v1/sessions", json: Self.account), 401, on: server)
            try check(Request("signIn", "/api/v1/sessions", json: Self.account), 429, on: server)
        }
    }

    @Test("is a check that finds what is wrong")
    func checks() throws {
        let document = contract.document
        let game = document.root["components"]?["schemas"]?["Game"] ?? .null
        func faults(_ json: String, isClosed: Bool = true) throws -> [String] {
            var schema = JSONSchema(document: document)
            schema.isClosed = isClosed
            return try schema.faults(of: JSONParser.parse(Array(json.utf8)), game).sorted()
        }
        let good = #""id": 71, "name": "Portal", "releaseYear": null"#
        #expect(try faults(#"{\#(good), "coverUrl": null}"#) == [])
        #expect(try faults(#"{\#(good)}"#) == ["/coverUrl is missing"])
        #expect(
            try faults(#"{\#(good), "coverUrl": 1}"#) == [
                "/coverUrl is a number, not string or null"
            ])
        #expect(try faults(#"{\#(good), "coverUrl": "x"}"#) == ["/coverUrl is no uri: x"])
        #expect(try faults(#"{\#(good), "coverUrl": null, "x": 1}"#) == ["/x is not described"])
        #expect(try faults(#"{\#(good), "coverUrl": null, "x": 1}"#, isClosed: false) == [])
        #expect(
            try faults(#"{"id": 0, "name": "", "releaseYear": 1, "coverUrl": null}"#) == [
                "/id is less than 1", "/name has fewer than 1", "/releaseYear is less than 1900",
            ])
        #expect(try faults("[]") == [" is an array, not object"])
        let tags = document.root["components"]?["schemas"]?["Tags"] ?? .null
        let many = JSONValue.array((0..<6).map { .string("\($0)") })
        #expect(JSONSchema(document: document).faults(of: many, tags) == [" has more than 5"])
        let visibility = document.root["components"]?["schemas"]?["Visibility"] ?? .null
        #expect(
            JSONSchema(document: document).faults(of: .string("secret"), visibility).count == 1)
        #expect(
            JSONSchema(document: document).faults(of: .int(1), .object(["multipleOf": .int(2)]))
                == [": the keyword multipleOf is not checked"])
    }
}
