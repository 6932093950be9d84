import Foundation
import Outbox
import TestSupport
import Testing

@testable import Web

@Suite("The webhook of a circle", .blocking)
struct CircleWebhookTests {
    private static func makeCircle(_ server: TestServer, _ owner: String) throws -> (
        page: String, api: String
    ) {
        let session = try server.database.session()
        try session.query(
            "SELECT make_circle(id, 'Couch Club', '', 'public') FROM users WHERE username = $1",
            [.text(owner)])
        let made = try session.query("SELECT slug, id::text FROM circles")
        let (slug, id): (String, String) = (try made[0][0], try made[0][1])
        return ("/circles/\(slug)", "/api/v1/circles/\(id)/webhook")
    }

    @Test("is connected on the circle's page, which shows its secret once, tried out and removed")
    func page() async throws {
        let nobody = try UnusedPort()
        try await TestServer.run(.migrated, settings: ["WEBHOOK_NETWORKS": "any"]) { server in
            let rob = try server.browser("rob")
            let (circle, _) = try Self.makeCircle(server, "rob")
            let settings = circle + "/settings"
            expectPage(try rob.get(settings), 200, "Connect a chat")
            let made = try rob.post(
                circle + "/webhook", ["address": "http://127.0.0.1:\(nobody.number)/s3cret"])
            expectPage(made, 200, "Connected.")
            #expect(made["cache-control"] == "no-store")
            let secret = try #require(made.text.firstMatch(of: /whsec_[A-Za-z0-9+\/]{43}=/)).0
            let stored: String = try server.database.session().query(
                "SELECT 'whsec_' || encode(secret, 'base64') FROM circle_webhooks")[0][0]
            #expect(stored == secret)
            let page = try rob.get(settings)
            expectPage(page, 200, "<bdi>127.0.0.1</bdi>")
            #expect(!page.text.contains(secret) && !page.text.contains("s3cret"))

            let tested = try rob.post(circle + "/webhook/test")
            #expect(tested["location"] == settings + "?saved=tested")
            try await eventually("what came of the test") {
                try rob.get(settings).text.contains("Last delivery failed")
            }
            expectPage(try rob.get(settings), 200, "The server cannot be reached.")
            let removed = try rob.post(circle + "/webhook/remove")
            #expect(removed["location"] == settings + "?saved=disconnected")
            #expect(try server.count("circle_webhooks") == 0)
            #expect(try server.count("outgoing_webhooks") == 0)
            expectPage(try rob.post(circle + "/webhook/test"), 404, "no webhook")
        }
    }

    @Test(
        "leads to https on the internet only",
        arguments: [
            "http://hooks.example/x", "https://localhost/x", "https://127.0.0.1/x",
            "https://[::1]:8443/x", "https://169.254.169.254/latest/meta-data",
            "https://10.1.2.3:9200/", "https://[::ffff:127.0.0.1]/x", "https://[::ffff:7f00:1]/x",
            "https://[::127.0.0.1]/x", "https://[64:ff9b::7f00:1]/x", "https://[2002:7f00:1::]/x",
            "https://0.0.0.0/x", "https://[::]/x", "https://[:::]/x", "https://x.localhost/x",
            "https://intranet/x",
        ])
    func refusedAddresses(address: String) async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let (circle, api) = try Self.makeCircle(server, "rob")
            try rob.get(circle + "/settings")
            let words = "Use an address that begins with https"
            expectFault(
                try rob.post(circle + "/webhook", ["address": address]), at: "webhook-address",
                words + " and that everyone on the internet can reach.")
            try expectProblem(
                try server.send(
                    "PUT", api, token: try await server.token(of: "rob"),
                    json: #"{"address": "\#(address)"}"#), 422, words)
            #expect(try server.count("circle_webhooks") == 0)
        }
    }

    @Test(
        "has no address that programs read in different ways",
        arguments: [
            "https://127.1/", "https://0x7f.1/x", "https://2130706433/", "https://0177.0.0.1/x",
            "https://[1.2.3.4]/", "https://127.0.0.1./x",
        ])
    func ambiguousAddresses(address: String) async throws {
        for networks in ["public", "any"] {
            try await TestServer.run(.migrated, settings: ["WEBHOOK_NETWORKS": networks]) {
                server in
                let owner = try await server.makeUser("rob")
                let (_, api) = try Self.makeCircle(server, "rob")
                let set = try server.send(
                    "PUT", api, token: owner, json: #"{"address": "\#(address)"}"#)
                try expectProblem(set, 422)
                #expect(set.text.contains("must be an address like"))
                #expect(try server.count("circle_webhooks") == 0)
            }
        }
    }

    @Test("is its owner's alone")
    func others() async throws {
        try await TestServer.run(.migrated) { server in
            let owner = try await server.makeUser("rob")
            let other = try await server.makeUser("eve")
            let (_, api) = try Self.makeCircle(server, "rob")
            try server.execute(
                """
                SELECT add_circle_member(c.id, u.id, false) FROM circles c, users u
                WHERE u.username = 'eve'
                """)
            let json = #"{"address": "https://hooks.invalid/x"}"#
            let set = try server.send("PUT", api, token: owner, json: json)
            #expect(set.status == 200)
            let secret = try #require(set.object["secret"] as? String)
            #expect(WebhookSecret(secret) != nil)
            let requests: [(String, String, String?)] = [
                ("GET", api, nil), ("PUT", api, json), ("DELETE", api, nil),
                ("POST", api + "/test", nil),
            ]
            for (method, path, json) in requests {
                try expectProblem(
                    try server.send(method, path, token: other, json: json), 404)
            }
            let read = try server.send("GET", api, token: owner)
            #expect(try read.object["host"] as? String == "hooks.invalid")
            #expect(!read.text.contains(secret) && !read.text.contains("/x"))
            // A new one has a new secret.
            let again = try server.send("PUT", api, token: owner, json: json)
            #expect(try again.object["secret"] as? String != secret)
            #expect(try server.send("DELETE", api, token: owner).status == 204)
            #expect(try server.send("DELETE", api, token: owner).status == 204)
            try expectProblem(try server.send("GET", api, token: owner), 404, "no webhook")
        }
    }

    @Test("can't be used to send tests to others without end")
    func limits() async throws {
        try await TestServer.run(.migrated) { server in
            let owner = try await server.makeUser("rob")
            let (_, api) = try Self.makeCircle(server, "rob")
            let json = #"{"address": "https://hooks.invalid/x"}"#
            #expect(try server.send("PUT", api, token: owner, json: json).status == 200)
            for _ in 0..<29 {
                #expect(try server.send("POST", api + "/test", token: owner).status == 204)
            }
            try expectProblem(try server.send("POST", api + "/test", token: owner), 429)
        }
    }

    @Test("says that messages were dropped, and that a test can't be sent")
    func dropped() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let owner = try await server.token(of: "rob")
            let (circle, api) = try Self.makeCircle(server, "rob")
            let json = #"{"address": "https://hooks.invalid/x"}"#
            let set = try server.send("PUT", api, token: owner, json: json)
            #expect(try set.object["dropped"] as? Int == 0)
            #expect(!(try rob.get(circle + "/settings").text.contains("left out")))
            // They wait for another time, so that no server takes them.
            try server.execute(
                """
                INSERT INTO outgoing_webhooks (kind, circle_id, due_at)
                SELECT 'left', c.id, 'infinity' FROM circles c, generate_series(1, 10000)
                """)
            try expectProblem(
                try server.send("POST", api + "/test", token: owner), 409, "Too many messages")
            expectPage(try rob.post(circle + "/webhook/test"), 409, "Too many messages")
            try server.execute("UPDATE circles SET name = 'Sofa Club'")
            let shown = try server.send("GET", api, token: owner).object
            #expect(shown["dropped"] as? Int == 3)
            #expect(shown["droppedAt"] as? String != nil)
            expectPage(
                try rob.get(circle + "/settings"), 200, "3 messages were left out, the last one")
            try await eventually("the log of it") {
                try server.count("circle_webhooks WHERE logged = 3") == 1
            }
        }
    }

    @Test("is in what its owner downloads, and described in the OpenAPI document")
    func documents() async throws {
        try await TestServer.run(.migrated) { server in
            let owner = try await server.makeUser("rob")
            let (_, api) = try Self.makeCircle(server, "rob")
            let json = #"{"address": "https://hooks.invalid/x"}"#
            let set = try server.send("PUT", api, token: owner, json: json)
            let secret = try #require(set.object["secret"] as? String)
            let export = try server.send("GET", "/api/v1/me/export", token: owner)
            #expect(export.text.contains("https://hooks.invalid/x"))
            #expect(!export.text.contains(secret))
            let document = try server.send("GET", "/api/v1/openapi.json").object
            let webhooks = try #require(document["webhooks"] as? [String: Any])
            #expect(
                Set(webhooks.keys) == [
                    "report.created", "circle.member_joined", "circle.member_left",
                    "circle.list_changed", "circle.renamed", "webhook.test",
                ])
        }
    }
}
