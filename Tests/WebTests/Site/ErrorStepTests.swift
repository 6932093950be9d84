import Endpoints
import HTTP
import HTTPServer
import HTTPTypes
import Languages
import TestSupport
import Testing

@testable import Actions
@testable import Web

@Suite("The step that makes responses of errors")
struct ErrorStepTests {
    private struct Unexpected: Error { let secret = "hunter2" }

    @Test(
        "suits the kind of address",
        arguments: [
            ("/nothing", "text/html; charset=utf-8"), ("/assets/x.css", "text/html; charset=utf-8"),
            ("/api/v1/nothing", "application/problem+json"),
            ("/api/v0/nothing", "text/plain; charset=utf-8"),
        ])
    func kinds(target: String, type: String) async throws {
        try await Services.forPages { services in
            let errors = ErrorStep(services: services, router: Routes.router)
            let context = try IncomingRequest(services, target: target)
            let missing = errors.response(to: Problem.notFound(.english("Nothing here.")), context)
            #expect(missing.status == .notFound)
            #expect(missing.headerFields[.contentType] == type)
            let failed = errors.response(to: Unexpected(), context)
            #expect(failed.status == .internalServerError)
            #expect(!String(decoding: failed.body, as: UTF8.self).contains("hunter2"))
        }
    }

    @Test("sends people on who have to sign in, or whose page has moved")
    func redirects() async throws {
        try await Services.forPages { services in
            let errors = ErrorStep(services: services, router: Routes.router)
            let context = try IncomingRequest(services, target: "/me")
            let signIn = errors.response(to: SignInRequired(returnPath: "/me"), context)
            #expect(signIn.status == .seeOther)
            #expect(signIn.headerFields[.location]?.hasPrefix("/sign-in?return=") == true)
            let moved = errors.response(to: Moved(path: "/@bob"), context)
            #expect(moved.status == .temporaryRedirect)
            #expect(moved.headerFields[.location] == "/@bob")
        }
    }

    @Test(
        "tells a client whose account has just gone that its token is not valid, and a form nothing"
    )
    func gone() async throws {
        try await Services.forPages { services in
            let errors = ErrorStep(services: services, router: Routes.router)
            let context = try IncomingRequest(services, target: "/api/v1/me/list")
            #expect(errors.response(to: AccountGone(), context).status == .unauthorized)
            // The form's sender is sent to sign in, with what they typed.
            #expect(services.refusal(AccountGone(), of: FormItems()) == nil)
        }
    }

    @Test("promises people that it passes soon only if it passes by itself")
    func patience() async throws {
        try await Services.forPages { services in
            let errors = ErrorStep(services: services, router: Routes.router)
            let context = try IncomingRequest(services, target: "/nothing")
            func page(_ problem: Problem) -> String {
                String(decoding: errors.response(to: problem, context).body, as: UTF8.self)
            }
            let short = page(.unavailable(.english("Busy.")))
            #expect(short.contains("Back in a moment") && short.contains("Try again in a second."))
            let long = page(.unavailable(.english("Not set up."), retryAfter: 300))
            #expect(
                !long.contains("moment</h1>") || long.contains("Not available at the moment</h1>"))
            #expect(long.contains("Try again later.") && !long.contains("seconds"))
        }
    }

    @Test("says what the operator says, if people can't even read")
    func maintenance() async throws {
        try await Services.forPages { services in
            services.health.maintenance.set("We <move>.")
            let errors = ErrorStep(services: services, router: Routes.router)
            let away = Problem.unavailable(.english("We can’t reach our data right now."))
            for (target, text) in [
                ("/users", "We &lt;move&gt;."), ("/api/v1/users?search=x", "We <move>."),
                ("/api/v0/users", "We <move>."),
            ] {
                let response = errors.response(
                    to: away, try IncomingRequest(services, target: target))
                #expect(response.status == .serviceUnavailable)
                #expect(response.headerFields[.retryAfter] == "60")
                let body = String(decoding: response.body, as: UTF8.self)
                #expect(body.contains(text), "\(target): \(body)")
                #expect(!body.contains("reach our data"), "\(target)")
            }
            // Whether a change was made is not to be hidden.
            let change = try IncomingRequest(services, method: .post, target: "/api/v1/reports")
            let unknown = errors.response(to: away, change)
            #expect(String(decoding: unknown.body, as: UTF8.self).contains("reach our data"))
        }
    }

    @Test("knows the form of a page by its target, if the connection fails")
    func connections() async throws {
        try await Services.forPages { services in
            let errors = ErrorStep(services: services, router: Routes.router)
            let tooLarge = ConnectionError.badRequest(RequestError(.bodyTooLarge))
            let target = try RequestTarget(parsing: "/me/import", method: .post)
            let page = errors.response(to: tooLarge, at: target, RequestID())
            #expect(page.kind == .page && page.response.status == .contentTooLarge)
            #expect(String(decoding: page.response.body, as: UTF8.self).contains("at most"))
            let unknown = errors.response(to: .requestTimeout, at: nil, RequestID())
            #expect(unknown.kind == .api && unknown.response.status == .requestTimeout)
        }
    }
}
