import Foundation
import TestSupport
import Testing

/// Checks that a response to a read is an error as the first front end takes it: nothing but words.
func expectV0Words(
    _ response: RawResponse, _ status: Int, _ message: String = "",
    at location: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(response.text)", sourceLocation: location)
    #expect(response["content-type"] == "text/plain; charset=utf-8", sourceLocation: location)
    #expect(response["cache-control"] == "no-store", sourceLocation: location)
    #expect(!response.text.isEmpty, sourceLocation: location)
    #expect(
        message.isEmpty || response.text.contains(message), "\(response.text)",
        sourceLocation: location)
    #expect(throws: (any Error).self, sourceLocation: location) { try response.json }
}

/// Checks that a response to a write is an error as the first front end knows them, and no more.
func expectV0Error(
    _ response: RawResponse, _ status: Int, _ code: String, _ message: String = "",
    at location: SourceLocation = #_sourceLocation
) throws {
    #expect(response.status == status, "\(response.text)", sourceLocation: location)
    #expect(response["content-type"] == "application/json", sourceLocation: location)
    #expect(response["cache-control"] == "no-store", sourceLocation: location)
    let error = try response.object
    #expect(error.keys.sorted() == ["code", "message"], sourceLocation: location)
    #expect(error.string("code") == code, sourceLocation: location)
    let text = error.string("message") ?? ""
    #expect(!text.isEmpty, sourceLocation: location)
    #expect(message.isEmpty || text.contains(message), "\(text)", sourceLocation: location)
}

extension RawResponse {
    /// The body as a JSON array of objects.
    var array: [[String: Any]] {
        get throws {
            guard status < 300, self["content-type"] == "application/json",
                let array = try json as? [[String: Any]]
            else { throw TestFailure("no array of objects: \(status) \(text)") }
            return array
        }
    }
}

/// Someone with a list, at the first front end.
struct V0Person {
    let server: TestServer
    let token: String
    let userID: String

    init(_ username: String, on server: TestServer) async throws {
        self.server = server
        token = try await server.makeUser(username)
        let me = try server.send("GET", "/api/v0/users/me", token: token).object
        userID = try #require(me.string("userId"))
    }

    func send(_ method: String, _ path: String, _ json: String? = nil) throws -> RawResponse {
        try server.send(method, "/api/v0" + path, token: token, json: json)
    }

    func add(_ game: Int, _ platform: Int, _ reasons: String = "") throws -> RawResponse {
        try send(
            "POST", "/my-fave-games",
            #"{"gameId": "\#(game)", "platformId": "\#(platform)", "reasons": "\#(reasons)"}"#)
    }

    /// Adds a game of which it is known that it can be added, and gives the entry's id.
    func added(_ game: Int, _ platform: Int, _ reasons: String = "") throws -> String {
        let response = try add(game, platform, reasons)
        guard response.status == 201 else { throw TestFailure(response.text) }
        return try response.object.string("id") ?? ""
    }

    func games() throws -> [String?] {
        try send("GET", "/my-fave-games").array.map { $0.string("gameId") }
    }

    func set(_ visibility: String) throws {
        let response = try server.send(
            "PATCH", "/api/v1/me", token: token, json: #"{"visibility": "\#(visibility)"}"#)
        guard response.status == 200 else { throw TestFailure(response.text) }
    }
}
