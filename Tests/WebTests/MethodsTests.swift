import TestSupport
import Testing

@Suite("Every address", .blocking)
struct MethodsTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private static let readOnly = [
        "/api/v1/platforms", "/api/v1/platforms/48", "/api/v1/platforms/48/ranking",
        "/api/v1/platforms/48/games/120/entries", "/api/v1/games", "/api/v1/games/71",
        "/api/v1/entries", "/api/v1/users/rob", "/api/v1/users/rob/list", "/api/v1/me/export",
        "/@rob/feed", "/platforms/ps4--1/feed", "/oembed",
    ]
    private static let pages = [
        "/", "/platforms", "/platforms/ps4--1", "/platforms/ps4--1/games/120", "/games",
        "/games/71", "/users", "/@rob", "/@rob/similar", "/entries", "/assets/site.css", "/ping",
        "/robots.txt", "/sitemap.xml", "/favicon.ico",
        "/api/problems", "/api/problems/not-found",
    ]
    /// Those that are for members, or lead elsewhere.
    private static let ways = [
        "/settings", "/settings/export", "/sign-in/with/oidc",
        "/sign-in/with/oidc/callback", "/@rob/card-0.png",
    ]
    private static let others = [
        ("/api/v1/users", "GET, HEAD, OPTIONS, POST"),
        ("/api/v1/sessions", "OPTIONS, POST"),
        ("/api/v1/sessions/refresh", "OPTIONS, POST"),
        ("/api/v1/sessions/current", "DELETE, OPTIONS"),
        ("/api/v1/me", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/api/v1/me/password", "OPTIONS, PUT"),
        ("/api/v1/me/sessions", "DELETE, GET, HEAD, OPTIONS"),
        ("/api/v1/me/list", "GET, HEAD, OPTIONS, PUT"),
        ("/api/v1/me/list/entries", "OPTIONS, POST"),
        (
            "/api/v1/me/list/entries/00000000-0000-4000-8000-000000000000",
            "DELETE, GET, HEAD, OPTIONS, PATCH"
        ),
    ]
    /// Of the first front end, whose errors have another shape.
    private static let former = [
        ("/api/v0/ping", "GET, HEAD, OPTIONS"), ("/api/v0/games", "GET, HEAD, OPTIONS"),
        ("/api/v0/games/71", "GET, HEAD, OPTIONS"), ("/api/v0/platforms", "GET, HEAD, OPTIONS"),
        ("/api/v0/platform-fave-games/48", "GET, HEAD, OPTIONS"),
        ("/api/v0/users", "GET, HEAD, OPTIONS"), ("/api/v0/users/me", "GET, HEAD, OPTIONS"),
        ("/api/v0/users/x", "GET, HEAD, OPTIONS"),
        ("/api/v0/my-fave-games", "GET, HEAD, OPTIONS, POST"),
        ("/api/v0/my-fave-games/x", "DELETE, GET, HEAD, OPTIONS, PUT"),
    ]

    @Test("of the API that is only read refuses to be written", arguments: readOnly)
    func refusesWriting(path: String) throws {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let response = try world.server.send(method, path, json: "{}")
            try expectProblem(response, 405, "only supports")
            #expect(response["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("of the API that is written says how", arguments: others)
    func saysHow(path: String, allowed: String) throws {
        for method in ["POST", "PUT", "PATCH", "DELETE"] where !allowed.contains(method) {
            let response = try world.server.send(method, path, json: "{}")
            try expectProblem(response, 405, "only supports")
            #expect(response["allow"] == allowed)
        }
    }

    @Test("of the first front end says how", arguments: former)
    func saysHowFormer(path: String, allowed: String) throws {
        let response = try world.server.send("PATCH", path, json: "{}")
        try expectV0Error(response, 405, "method_not_allowed", "only supports \(allowed).")
        #expect(response["allow"] == allowed)
    }

    @Test("of a page refuses to be written, with a page", arguments: pages + ways)
    func refusesWritingAsPage(path: String) throws {
        let response = try world.server.send("POST", path, json: "{}")
        #expect(response.status == 405)
        #expect(response["allow"] == "GET, HEAD, OPTIONS")
        #expect(response["content-type"] == "text/html; charset=utf-8")
        #expect(response.text.contains("<h1>You can’t do that here</h1>"))
    }

    /// One that is written in lower case is another method: RFC 9110 section 9.1.
    private static let unknownMethods = ["FOO", "TRACE", "PROPFIND", "get", "QUERY"]

    @Test(
        "of the API says that it knows no such method",
        arguments: ["/api/v1/games/71", "/api/v1/me/list", "/api/v1/nothing", "/oembed"])
    func unknownMethod(path: String) throws {
        for method in Self.unknownMethods {
            let response = try world.server.send(method, path)
            try expectProblem(response, 501, "No address here supports this method.")
            #expect(response["allow"] == nil)
        }
        let read = try world.server.send("GET", "/api/v1/games/71")
        #expect(read.status == 200)
    }

    @Test("of the first front end says that it knows no such method")
    func unknownMethodFormer() throws {
        let response = try world.server.send("FOO", "/api/v0/games")
        try expectV0Error(response, 501, "not_implemented", "supports this method")
    }

    @Test(
        "of a page says that it knows no such method, with a page",
        arguments: ["/", "/@rob", "/nothing", "/settings", "/assets/site.css", "/@rob/embed"])
    func unknownMethodAsPage(path: String) throws {
        for method in Self.unknownMethods {
            let response = try world.server.send(method, path)
            #expect(response.status == 501)
            #expect(response["content-type"] == "text/html; charset=utf-8")
            #expect(response["cache-control"] == "no-store")
            #expect(response.text.contains("No address here supports this method."))
        }
    }

    @Test("tells OPTIONS what it takes", arguments: readOnly + pages + ways)
    func options(path: String) throws {
        let response = try world.server.send("OPTIONS", path)
        #expect(response.status == 204)
        #expect(response["allow"] == "GET, HEAD, OPTIONS")
        #expect(response.bytes.isEmpty)
    }

    @Test("tells OPTIONS what it takes where it is written", arguments: others + former)
    func optionsWritten(path: String, allowed: String) throws {
        let response = try world.server.send("OPTIONS", path)
        #expect(response.status == 204)
        #expect(response["allow"] == allowed)
    }

    @Test("is part of a server that responds to OPTIONS for itself")
    func asterisk() throws {
        let response = try world.server.send("OPTIONS", "*")
        #expect(response.status == 204)
        #expect(response["allow"] == "GET, HEAD, OPTIONS")
        try expectProblem(world.server.send("GET", "*"), 400)
    }

    @Test(
        "responds to HEAD as GET, without the body",
        arguments: pages + [
            "/api/v1/platforms", "/api/v1/users/rob/list", "/api/v1/games/71", "/@rob/embed",
            "/api/v0/ping", "/api/v0/games/71", "/api/v0/platforms?platformIds=48",
            "/api/v0/platform-fave-games/48", "/api/v0/users?search=rob",
            "/@rob/feed", "/platforms/ps4--1/feed", "/oembed?url=https://fave.example/@rob",
            "/sitemap.xml?part=pages",
        ])
    func head(path: String) throws {
        let get = try world.get(path)
        let head = try world.server.send("HEAD", path)
        #expect(head.status == 200)
        #expect(head["content-length"] == String(get.bytes.count))
        #expect(head["content-type"] == get["content-type"])
        #expect(head["etag"] == get["etag"])
        #expect(head.bytes.isEmpty)
    }

    @Test("responds to HEAD of what is not there with 404")
    func headNotFound() throws {
        let response = try world.server.send("HEAD", "/api/v1/games/1")
        #expect(response.status == 404)
        #expect(response["content-length"] != "0")
    }

    @Test(
        "that is none is 404",
        arguments: [
            "/api/", "/api/v2/platforms", "/api/v1/platforms/",
            "/api/v1//platforms", "/api/v1/me/list/", "/api/v1/platforms/48/ranking/x",
            "/api/v1/users/", "/api/v1/me/list/entries/", "/api/V1/platforms",
        ])
    func unknown(path: String) throws {
        try expectProblem(world.get(path), 404)
    }

    @Test("of the ping responds without the database")
    func ping() throws {
        let response = try world.get("/ping")
        #expect(response.status == 200)
        #expect(response.text == "pong\n")
        #expect(response["cache-control"] == "no-store")
    }
}
