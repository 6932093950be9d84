import HTTP
import HTTPTypes
import Testing

@testable import Web

@Suite("The redirect to HTTPS")
struct HTTPSRedirectTests {
    private let redirect = HTTPSRedirect(to: "https://fave.example")

    private func response(
        _ method: HTTPRequest.Method, _ target: String
    ) async throws -> (status: Int, location: String?) {
        let request = try Request(method: method, target: target)
        let response = await redirect.respond(to: request, from: .local)
        return (response.status.code, response.headerFields[.location])
    }

    @Test(
        "keeps path and query, and takes the host from PUBLIC_URL",
        arguments: [
            ("/", "/"), ("/@ann?x=1&y=%20", "/@ann?x=1&y=%20"), ("/a?", "/a?"),
            ("//evil.example/x", "//evil.example/x"), ("http://evil.example/x?y", "/x?y"),
            ("http://evil.example", "/"),
        ])
    func location(target: String, path: String) async throws {
        let response = try await response(.get, target)
        #expect(response.status == 301)
        #expect(response.location == "https://fave.example" + path)
    }

    @Test("lets other methods than GET and HEAD stay what they are")
    func methods() async throws {
        #expect(try await response(.head, "/a").status == 301)
        for method in [HTTPRequest.Method.post, .put, .patch, .delete, .options] {
            let response = try await response(method, "/api/v1/me")
            #expect(response.status == 308)
            #expect(response.location == "https://fave.example/api/v1/me")
        }
        let asterisk = try await response(.options, "*")
        #expect(asterisk.status == 204)
        #expect(asterisk.location == nil)
    }

    @Test("responds to what is no request with its problem")
    func errors() {
        #expect(redirect.response(to: .requestTimeout).status == .requestTimeout)
        #expect(redirect.response(to: .tooManyConnections).status == .serviceUnavailable)
    }
}
