import Foundation
import TestSupport
import Testing

@testable import Web

/// A name as keyboards, pages and people write it.
@Suite("A name with something around it", .blocking)
struct TypedNamesTests {
    private static let names = [
        "rob ", " @rob", "@Rob", "\u{200B}rob\u{A0}", "\u{2068}@rob\u{2069}",
    ]

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    @Test("names the account wherever someone types it", arguments: names)
    func forms(name: String) async throws {
        try await TestServer.run(.migrated) { server in
            // Sign-up, and everything that asks for the name later.
            let rob = Browser(server)
            try rob.get("/sign-up")
            let signedUp = try rob.post(
                "/sign-up", ["username": name, "password": Browser.password])
            #expect(signedUp["location"] == "/@rob")
            try server.execute("UPDATE users SET display_name = 'Someone'")
            let again = Browser(server)
            #expect(try again.signIn(name)["location"] == "/@rob")
            let eve = try server.browser("eve")
            #expect(try eve.get("/users?search=\(Self.escaped(name))").text.contains("/@rob"))
            #expect(try eve.get("/entries?username=\(Self.escaped(name))").status == 200)
            #expect(
                try eve.post("/@\(Self.escaped(name))/follow", ["do": "follow"]).status == 303)
            #expect(try server.count("follows") == 1)
            #expect(try rob.get("/settings").status == 200)
            let deleted = try rob.post(
                "/settings/delete", ["username": name, "password": Browser.password])
            #expect(deleted.status == 303)
            #expect(try server.count("users WHERE username = 'rob'") == 0)
        }
    }

    @Test("names the account in the API", arguments: names)
    func programs(name: String) async throws {
        try await TestServer.run(.migrated) { server in
            func json(_ members: [String: String]) throws -> String {
                String(
                    decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
            }
            let account = try json(["username": name, "password": Browser.password])
            #expect(try server.send("POST", "/api/v1/users", json: account).status == 201)
            #expect(try server.count("users WHERE username = 'rob'") == 1)
            let session = try server.send("POST", "/api/v1/sessions", json: account)
            #expect(session.status == 201)
            let text = Self.escaped(name)
            for target in ["/api/v1/users/\(text)", "/api/v1/users/\(text)/list"] {
                #expect(try server.send("GET", target).status == 200, "\(target)")
            }
            let found = try server.send("GET", "/api/v1/users?search=\(text)")
            #expect(found.text.contains("\"rob\""))
            let eve = try await server.makeUser("eve")
            let follow = try server.send("PUT", "/api/v1/me/following/\(text)", token: eve)
            #expect([200, 204].contains(follow.status), "\(follow.text)")
            let block = try server.send("PUT", "/api/v1/me/blocks/\(text)", token: eve)
            #expect([200, 204].contains(block.status), "\(block.text)")
            let rob = try session.object["accessToken"] as? String
            let deletion = try server.send(
                "DELETE", "/api/v1/me?username=\(text)", token: rob,
                json: json(["password": Browser.password]))
            #expect(deletion.status == 204, "\(deletion.text)")
        }
    }

    @Test("is empty if no one can see any of it")
    func words() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let token = try await server.token(of: "rob")
            for invisible in ["\u{200B}", "\u{3164}", "\u{2800} \u{FEFF}"] {
                try rob.get("/settings")
                let profile = [
                    "displayName": invisible, "bio": "", "visibility": "public",
                    "showsRatings": "no",
                ]
                #expect(try rob.post("/settings/profile", profile).status == 422)
                let bio = try server.send(
                    "PATCH", "/api/v1/me", token: token, json: #"{"bio": "\#(invisible)"}"#)
                #expect(try bio.object["bio"] as? String == "")
                for (path, body) in [
                    ("/api/v1/circles", #"{"name": "\#(invisible)"}"#),
                    ("/api/v1/me/tokens", #"{"name": "\#(invisible)", "scopes": ["read"]}"#),
                ] {
                    let response = try server.send("POST", path, token: token, json: body)
                    #expect([422, 403, 404].contains(response.status), "\(path) \(response.text)")
                }
            }
        }
    }
}
