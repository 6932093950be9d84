import Endpoints
import HTTPTypes
import Languages
import TestSupport
import Testing

@testable import Web

@Suite("In maintenance mode", .blocking)
struct MaintenanceStepTests {
    private static let message = "We <move> until 15:00."
    private static let escaped = "We &lt;move&gt; until 15:00."

    private static func begin(_ server: TestServer) throws {
        try server.execute("INSERT INTO maintenance_mode (message) VALUES ('\(message)')")
    }

    /// The patterns of the routes that are refused, each with its method if it isn't GET.
    private static func refused(_ isIncluded: (Web.Route) -> Bool) async throws -> Set<String> {
        try await Services.forPages { services in
            let mode = MaintenanceMode()
            mode.set(message)
            let step = MaintenanceStep(mode: mode, router: Routes.router)
            return try Set(
                Routes.all.filter(isIncluded).filter { route in
                    let target = route.pattern.replacing(/\{\w+\}/) { _ in "x" }
                    let context = try IncomingRequest(
                        services, method: route.method, target: target)
                    do throws(Problem) {
                        try step.check(context)
                        return false
                    } catch {
                        #expect(error.kind == .maintenance && error.detail == Words(name: message))
                        return true
                    }
                }.map { $0.method == .get ? $0.pattern : "\($0.method) \($0.pattern)" })
        }
    }

    @Test("everything but reading is refused")
    func changes() async throws {
        let refused = try await Self.refused { $0.method != .get }
        let all = Routes.all.filter { $0.method != .get }.map { "\($0.method) \($0.pattern)" }
        #expect(
            Set(all).subtracting(refused) == [
                // It changes nothing, and keeps the invitation out of the address.
                "POST /api/v1/circle-invitations",
                // Nobody has to stay signed in.
                "POST /sign-out", "DELETE /api/v1/sessions/current", "POST /oauth/revoke",
            ])
    }

    @Test("pages that only lead to changes are refused, and no others")
    func pages() async throws {
        #expect(
            try await Self.refused { $0.method == .get } == [
                "/@{username}/block", "/administrator", "/circles/join", "/circles/new",
                "/circles/{circle}/settings", "/mail/confirm", "/me", "/me/import",
                "/oauth/authorize", "/report", "/settings/apps", "/settings/invitations",
                "/settings/passkeys", "/settings/snapshots",
                "/settings/tokens", "/sign-in", "/sign-in/forgot", "/sign-in/recover",
                "/sign-in/reset", "/sign-in/with/{provider}", "/sign-in/with/{provider}/callback",
                "/sign-up", "/sign-up/name",
            ])
    }

    @Test("people read on, with the message on each page, and change nothing")
    func reading() async throws {
        try await TestServer.run(settings: ["LOOPS": "1"]) { server in
            let rob = try server.browser("rob")
            let token = try await server.token(of: "rob")
            func put() throws -> RawResponse {
                try server.send(
                    "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                    json: #"{"entries": [{"gameId": 71, "platformId": 6, "comment": "Why."}]}"#)
            }
            #expect(try put().status == 200)
            let pages = [
                "/", "/platforms", "/platforms/win", "/@rob", "/entries", "/about", "/privacy",
            ]
            // From memory, the second time.
            for _ in 0..<2 {
                for page in pages {
                    #expect(try !server.send("GET", page).text.contains(Self.escaped), "\(page)")
                }
            }
            try Self.begin(server)
            try await eventually("the server follows") { try put().status == 503 }
            for cached in [false, true] {
                for page in pages {
                    let response = try server.send("GET", page)
                    expectPage(response, 200, Self.escaped)
                    if cached, let status = response["cache-status"] {
                        #expect(status.contains("hit"), "\(page)")
                    }
                }
            }
            for page in ["/", "/@rob", "/settings", "/following"] {
                expectPage(try rob.get(page), 200, Self.escaped)
            }
            for target in [
                "/api/v1/users/rob/list", "/api/v1/openapi.json", "/@rob/feed", "/@rob/embed",
            ] {
                let response = try server.send("GET", target)
                #expect(response.status == 200, "\(target)")
                #expect(!response.text.contains("<move>"), "\(target)")
            }
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 200)
            #expect(try server.send("OPTIONS", "/api/v1/me/list").status == 204)
            for target in ["/health", "/ping"] {
                #expect(try server.send("GET", target).status == 200, "\(target)")
            }

            let refused = try put()
            let problem = try expectProblem(refused, 503, Self.message)
            #expect(problem["kind"] as? String == "maintenance")
            #expect(refused["retry-after"] == "60")
            let first = try server.send(
                "POST", "/api/v0/my-fave-games", token: token, json: #"{"gameId": 71}"#)
            #expect(first.status == 503 && first.text.contains(Self.message))
            let form = try rob.post("/settings/profile", ["displayName": "Rob", "bio": "Typed."])
            expectPage(form, 503, Self.escaped)
            #expect(form.text.contains("Under maintenance") && form.text.contains("Typed."))
            #expect(form["retry-after"] == "60")
            let editor = try rob.get("/me")
            expectPage(editor, 503, Self.escaped)
            for page in [form, editor] { #expect(!page.text.contains("You can look around")) }

            try server.execute("DELETE FROM maintenance_mode")
            try await eventually("the server follows") { try put().status == 200 }
            for page in pages {
                let response = try server.send("GET", page)
                #expect(response.status == 200 && !response.text.contains(Self.escaped), "\(page)")
            }
        }
    }
}
