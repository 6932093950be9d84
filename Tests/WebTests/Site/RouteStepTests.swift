import Endpoints
import HTTP
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite("The step that finds the handler")
struct RouteStepTests {
    private static let router = Routes.router(
        Web.Route(.get, "/page", .page, returns: .response) { context in
            Response(body: Array((context.query["x"] ?? "").utf8))
        },
        Web.Route(.post, "/api/v1/thing", .api("x", .service, "x"), returns: .response) { _ in
            Response(status: .created)
        })

    private struct Fixture {
        let services: Services
        let step: RouteStep

        init(_ services: Services) {
            self.services = services
            step = RouteStep(RouteStepTests.router, services.settings)
        }

        func context(
            _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:]
        ) throws -> IncomingRequest {
            try IncomingRequest(
                services, step.router, method: method, target: target, fields: fields)
        }

        func respond(
            _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:]
        ) async throws -> Response {
            try await step.respond(context(method, target, fields), services)
        }
    }

    private func run(_ body: (Fixture) async throws -> Void) async throws {
        try await Services.forPages { try await body(Fixture($0)) }
    }

    @Test("gives a handler its request")
    func found() async throws {
        try await run { fixture async throws in
            #expect(try await fixture.respond(.get, "/page?x=1").body == Array("1".utf8))
            #expect(try await fixture.respond(.head, "/page?x=1").status == .ok)
            #expect(try await fixture.respond(.post, "/api/v1/thing").status == .created)
        }
    }

    @Test("leads to the page without a slash at the end")
    func slash() async throws {
        try await run { fixture in
            let response = try await fixture.respond(.get, "/page/?x=1")
            #expect(response.status == .movedPermanently)
            #expect(response.headerFields[.location] == "/page?x=1")
        }
    }

    @Test("says which methods there are")
    func options() async throws {
        try await run { fixture in
            let all = try await fixture.respond(.options, "*")
            #expect(all.status == .noContent && all.headerFields[.allow] == "GET, HEAD, OPTIONS")
            let one = try await fixture.respond(.options, "/api/v1/thing")
            #expect(one.headerFields[.allow] == "OPTIONS, POST")
            let preflight = try await fixture.respond(
                .options, "/api/v1/thing",
                [.origin: "https://other.example", .accessControlRequestMethod: "POST"])
            #expect(preflight.headerFields[.allow] == "OPTIONS, POST")
            #expect(preflight.headerFields[.vary] == "Origin")
        }
    }

    @Test(
        "refuses what no handler takes",
        arguments: [
            ("GET", "/nothing", ProblemKind.notFound), ("POST", "/page", .methodNotAllowed),
            ("BREW", "/page", .notImplemented),
            ("POST", "/api/v1/thing?x=1&x=2", .invalidParameter),
        ])
    func refused(method: String, target: String, kind: ProblemKind) async throws {
        try await run { fixture in
            let method = try #require(HTTPRequest.Method(method))
            let problem = await #expect(throws: Problem.self) {
                try await fixture.respond(method, target)
            }
            #expect(problem?.kind == kind)
        }
    }

    @Test("refuses a write from a page of another site, before its handler and before a large body")
    func foreign() async throws {
        try await run { fixture in
            let context = try fixture.context(
                .post, "/api/v1/thing", [.origin: "https://other.example"])
            for admits in [false, true] {
                let problem = await #expect(throws: Problem.self) {
                    if admits { return try await fixture.step.admit(context, fixture.services) }
                    _ = try await fixture.step.respond(context, fixture.services)
                }
                #expect(problem?.kind == .originNotAllowed)
            }
        }
    }
}
