import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import TestSupport
import Testing

@testable import Web

@Suite("The step that completes the fields")
struct FieldStepTests {
    private func completed(
        _ target: String, _ fields: HTTPFields = [:], isKnown: Bool = false
    ) async throws -> Response {
        try await Services.forPages { services in
            var context = try IncomingRequest(services, target: target, fields: fields)
            if isKnown {
                context.visitor = Visitor(
                    user: Fixture.user("rob", "Rob"), sessionID: UUID(), token: SecretToken(),
                    news: NewsVisit(since: Fixture.date, hasUnseen: false, isDue: false))
            }
            var response = Response(headerFields: [.cacheControl: "no-cache"])
            FieldStep(services.settings).complete(&response, context)
            return response
        }
    }

    @Test("keeps apart what different people see")
    func caches() async throws {
        let page = try await completed("/entries")
        #expect(page.headerFields[.vary] == "Cookie")
        #expect(page.headerFields[.cacheControl] == "no-cache")
        let own = try await completed("/entries", isKnown: true)
        #expect(own.headerFields[.cacheControl] == "private, no-cache")
        let read = try await completed("/api/v1/entries")
        #expect(read.headerFields[.vary] == "Authorization")
        let secret = try await completed("/api/v1/entries", [.authorization: "Bearer x"])
        #expect(secret.headerFields[.cacheControl] == "private, no-store")
    }

    @Test("names the route, and tells browsers what other sites may do")
    func others() async throws {
        let page = try await completed("/@rob")
        #expect(page.route == "/@{username}")
        #expect(page.headerFields[.accessControlAllowOrigin] == nil)
        let read = try await completed("/api/v1/entries")
        #expect(read.headerFields[.accessControlAllowOrigin] == "*")
        #expect(page.message.contains("script-src 'self'"))
        #expect(!read.message.contains("script-src") && read.message.contains("default-src 'none'"))
    }

    @Test("completes errors of the connection, which have no request")
    func connections() async throws {
        try await Services.forPages { services in
            let fields = FieldStep(services.settings)
            var (page, document) = (Response(), Response())
            fields.complete(&page, of: .page)
            fields.complete(&document, of: .api)
            #expect(page.headerFields[.accessControlAllowOrigin] == nil)
            #expect(page.message.contains("script-src 'self'"))
            #expect(document.headerFields[.accessControlAllowOrigin] == "*")
        }
    }
}
