import Endpoints
import HTTPTypes
import TestSupport
import Testing
import Views

@testable import Web

@Suite("A kind of problem", .blocking)
struct ProblemKindTests {
    @Test("has a name for addresses, an error's status, and words of its own")
    func words() {
        var titles: Set<String> = []
        for kind in ProblemKind.all {
            #expect(kind.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(kind)")
            #expect([.clientError, .serverError].contains(kind.status.kind), "\(kind)")
            #expect(titles.insert(kind.title).inserted, "\(kind)")
            #expect(kind.explanation.hasSuffix("."), "\(kind)")
            #expect(ProblemKind(kind.status).status == kind.status)
        }
    }

    @Test("is found for every status, the plain one of those that share it")
    func statuses() {
        #expect(ProblemKind(.badRequest) == .badRequest)
        #expect(ProblemKind(.unauthorized) == .unauthorized)
        #expect(ProblemKind(.conflict) == .conflict)
        #expect(ProblemKind(.unprocessableContent) == .unprocessableContent)
        #expect(ProblemKind(.tooManyRequests) == .tooManyRequests)
        #expect(ProblemKind(HTTPResponse.Status(code: 508)) == .internalServerError)
        #expect(ProblemKind(.gone) == .badRequest)
    }

    @Test("is explained where the site's pages link to")
    func directory() {
        #expect(ProblemKind.directory == Path.problems)
    }

    @Test("is explained at the address that problem documents name")
    func pages() async throws {
        let world = try await World.shared
        let overview = try world.get("/api/problems").text
        for kind in ProblemKind.all {
            let path = "/api/problems/\(kind.name)"
            #expect(overview.contains(#"href="\#(path)""#), "\(kind)")
            let page = try world.get(path)
            #expect(page.status == 200, "\(kind)")
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("<h1>"))
            #expect(page.text.contains("Status \(kind.status.code),"))
            #expect(page.text.contains("<code>\(kind.name)</code>"))
        }
        let unknown = try world.get("/api/problems/about-blank")
        #expect(unknown.status == 404)
        #expect(unknown["content-type"] == "text/html; charset=utf-8")
    }

    @Test(
        "is said with what a client can do about it",
        arguments: [
            ("GET", "/api/v1/users?search=", nil, "invalid-parameter"),
            ("GET", "/api/v1/users?search=%ff", nil, "bad-request"),
            ("GET", "/api/v1/entries?cursor=x", nil, "invalid-cursor"),
            ("POST", "/api/v1/users", "{", "malformed-document"),
            ("POST", "/api/v1/users", "{}", "invalid-members"),
            (
                "POST", "/api/v1/users", #"{"username": "somebody", "password": "x"}"#,
                "weak-password"
            ),
            ("GET", "/api/v1/me", nil, "unauthorized"),
            ("GET", "/api/v1/nothing", nil, "not-found"),
            ("DELETE", "/api/v1/users", nil, "method-not-allowed"),
            ("GET", "/oembed?format=xml", nil, "not-implemented"),
        ])
    func kinds(method: String, target: String, json: String?, name: String) async throws {
        let kind = try #require(ProblemKind.named(name))
        let response = try await World.shared.server.send(method, target, json: json)
        let problem = try expectProblem(response, kind.status.code)
        #expect(problem.string("type") == "https://fave.example/api/problems/\(name)")
    }

    @Test("tells a token that is refused from none")
    func token() async throws {
        let response = try await World.shared.server.send("GET", "/api/v1/me", token: "x.y.z")
        let problem = try expectProblem(response, 401)
        #expect(problem.string("type") == "https://fave.example/api/problems/invalid-token")
    }
}
