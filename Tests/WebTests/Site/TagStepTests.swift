import Endpoints
import HTTP
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite("The step that tags and compresses")
struct TagStepTests {
    private static let text = Response(
        headerFields: [.contentType: "text/plain", .cacheControl: "no-cache"],
        body: Array(repeating: 0x61, count: 5000))

    private func tagged(
        _ response: Response = text, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) async throws -> Response {
        try await Services.forPages { services in
            try TagStep(gzip: services.gzip).tagged(
                response,
                try IncomingRequest(
                    services, method: method, target: "/entries", fields: fields))
        }
    }

    @Test("gives a tag to what can be asked for again")
    func tags() async throws {
        #expect(try await tagged().headerFields[.eTag] == Self.text.tag.description)
        #expect(try await tagged(Self.text, .post).headerFields[.eTag] == nil)
        var own = Self.text
        own.headerFields[.eTag] = "\"own\""
        #expect(try await tagged(own).headerFields[.eTag] == "\"own\"")
        var personal = Self.text
        personal.forbidCaching()
        #expect(try await tagged(personal).headerFields[.eTag] == nil)
        var missing = Self.text
        missing.status = .notFound
        #expect(try await tagged(missing).headerFields[.eTag] == nil)
    }

    @Test("responds to conditions")
    func conditions() async throws {
        let tag = Self.text.tag.description
        #expect(try await tagged(Self.text, .get, [.ifNoneMatch: tag]).status == .notModified)
        await #expect(throws: Problem.self) {
            try await tagged(Self.text, .get, [.ifMatch: "\"other\""])
        }
    }

    @Test("compresses for clients that accept it, unless they say who they are")
    func compression() async throws {
        let coded = try await tagged(Self.text, .get, [.acceptEncoding: "gzip"])
        #expect(coded.headerFields[.contentEncoding] == "gzip" && coded.body.count < 200)
        let secret = try await tagged(
            Self.text, .get, [.acceptEncoding: "gzip", .authorization: "Bearer x"])
        #expect(secret.headerFields[.contentEncoding] == nil)
    }
}
