import Endpoints
import HTTP
import HTTPServer
import HTTPTypes
import Languages
import TestSupport
import Testing

@testable import Web

@Suite("A constant response", .blocking)
struct ConstantResponsesTests {
    private let world: World

    init() async throws { world = try await World.shared }

    /// With them a response is made, and not the cached one sent.
    private static let remade = [("If-Unmodified-Since", "Fri, 31 Dec 2055 23:59:59 GMT")]

    private static let paths = [
        "/ping", "/robots.txt", "/favicon.ico", "/assets/site.css", "/assets/icon-192.png", "/api",
        "/api/problems", "/api/problems/not-found", "/assets/nothing.css", "/api/problems/nothing",
    ]

    @Test("is the same cached as made, whatever is asked for with it", arguments: paths)
    func same(path: String) throws {
        let page = try world.get(path)
        let tag = page["etag"] ?? "\"none\""
        let variants: [[(String, String)]] = [
            [], [("Accept-Encoding", "gzip, br")], [("Accept-Encoding", "gzip;q=0")],
            [("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")], [("Cookie", "theme=dark")],
            [("Cookie", "__Host-session=x")], [("Authorization", "Bearer x")],
            [("If-None-Match", tag)], [("If-None-Match", "W/\(tag)")], [("If-None-Match", "*")],
            [("If-None-Match", "\"other\"")], [("If-None-Match", "\"other\", \(tag)")],
            [("If-None-Match", tag), ("Accept-Encoding", "gzip")],
            [("If-None-Match", tag), ("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")],
            [("If-Modified-Since", "Fri, 31 Dec 2055 23:59:59 GMT")],
            [("If-Match", tag)], [("If-Match", "\"other\"")],
            [("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")],
        ]
        for method in ["GET", "HEAD"] {
            for variant in variants {
                let isConditional = variant.contains { $0.0 == "If-Unmodified-Since" }
                let made = try world.server.send(
                    method, path, fields: variant + (isConditional ? [] : Self.remade))
                for _ in 0..<2 {
                    let cached = try world.server.send(method, path, fields: variant)
                    #expect(cached.status == made.status, "\(method) \(variant)")
                    #expect(Self.fields(cached) == Self.fields(made), "\(method) \(variant)")
                    #expect(cached.bytes == made.bytes, "\(method) \(variant)")
                    #expect(cached["x-request-id"] != made["x-request-id"])
                }
            }
        }
    }

    private static func fields(_ response: RawResponse) -> [String] {
        response.fields.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
            .map { "\($0.name): \($0.value)" }
            .sorted()
    }

    @Test("has the number that a trusted proxy gave")
    func requestID() async throws {
        try await TestServer.run(.migrated, settings: ["TRUSTED_PROXIES": "127.0.0.1"]) { server in
            let id = "01890a5d-ac96-774b-bcce-b302099a8057"
            for _ in 0..<2 {
                let response = try server.send("GET", "/ping", fields: [("X-Request-ID", id)])
                #expect(response["x-request-id"] == id)
            }
        }
    }

    @Test("is another one for people who are signed in")
    func visitors() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            for _ in 0..<3 {
                let strangers = try server.send("GET", "/api/problems")
                #expect(!strangers.text.contains("/@rob"))
                #expect(strangers["cache-control"] == "no-cache")
                let robs = try rob.get("/api/problems")
                #expect(robs.text.contains("/@rob"))
                #expect(robs["cache-control"] == "private, no-cache")
            }
        }
    }

    /// The constants of a site, with one route that is constant and one that isn't.
    private struct Constants {
        let services: Services
        let router: Router<Web.Route>
        let mode = MaintenanceMode()
        private let keys: ResponseKeys
        private let constants: ConstantResponses

        init(_ services: Services, _ purpose: RoutePurpose = .page) {
            self.services = services
            keys = ResponseKeys(mode)
            constants = ConstantResponses(keys)
            var router = Router<Web.Route>()
            for caching in [Caching.constant, .revalidated] {
                let pattern = caching == .constant ? "/{any}" : "/other/{any}"
                let route = Web.Route(.get, pattern, purpose, returns: .response, caching: caching)
                {
                    _ in Response()
                }
                router.add(route.method, route.pattern, route)
            }
            self.router = router
        }

        func store(_ response: Response, _ request: Request) {
            store(response, request, of: keys.era)
        }

        var era: ResponseKey.Era { keys.era }

        func store(_ response: Response, _ request: Request, of era: ResponseKey.Era) {
            constants.store(
                response,
                IncomingRequest(
                    request, from: .local, services, router,
                    PageLanguages(services.settings, router)),
                of: era)
        }

        func store(_ response: Response, _ target: String) throws {
            store(response, try Request(target: target))
        }

        func found(_ request: Request) -> Response? {
            guard CachedResponse.maySuit(request) else { return nil }
            return constants.lookUp(keys.key(of: request, in: .en))?.response(to: request)
        }

        func found(_ target: String) throws -> Response? { found(try Request(target: target)) }
    }

    @Test("is found again, for those who get the same")
    func found() async throws {
        try await Services.forPages { services in
            let constants = Constants(services)
            var ping = Response(
                headerFields: [.eTag: "\"1\"", .contentType: "text/plain"], body: [0x70])
            ping.writtenFields = WrittenFields([
                HTTPField(name: .xContentTypeOptions, value: "nosniff")
            ])
            try constants.store(ping, "/ping")
            #expect(try constants.found("/ping")?.body == [0x70])
            #expect(try constants.found(Request(method: .head, target: "/ping"))?.status == .ok)
            let known = try Request(target: "/ping", headerFields: [.ifNoneMatch: "\"1\""])
            #expect(constants.found(known)?.status == .notModified)
            #expect(constants.found(known)?.body == [])
            let others: [HTTPFields] = [
                [.acceptEncoding: "gzip"], [.authorization: "Bearer x"], [.ifMatch: "\"1\""],
                [.cookie: "session=x"], [.cookie: "__Host-session=x"],
                [.ifModifiedSince: "x"], [.ifUnmodifiedSince: "x"],
            ]
            for fields in others {
                #expect(try constants.found(Request(target: "/ping", headerFields: fields)) == nil)
            }
            #expect(try constants.found(Request(method: .post, target: "/ping")) == nil)
            #expect(try constants.found("/ping?") == nil)
        }
    }

    @Test("is one of a constant route, to someone who doesn't say who they are")
    func stored() async throws {
        try await Services.forPages { services in
            let constants = Constants(services)
            let response = Response(body: [0x70])
            try constants.store(response, "/other/ping")
            #expect(try constants.found("/other/ping") == nil)
            for fields: HTTPFields in [
                [.authorization: "Bearer x"], [.cookie: "__Host-session=x"],
            ] {
                constants.store(response, try Request(target: "/ping", headerFields: fields))
                #expect(try constants.found("/ping") == nil)
            }
            let files = Constants(services, .file)
            let request = try Request(target: "/a.css", headerFields: [.cookie: "session=x"])
            files.store(response, request)
            #expect(files.found(request) != nil, "a file looks the same to everyone")
        }
    }

    @Test("is cached for one spelling of its address only, so that nobody can fill the memory")
    func bounded() async throws {
        try await Services.forPages { services in
            let constants = Constants(services)
            let response = Response(headerFields: [.cacheControl: "no-cache"], body: [0x70])
            for target in ["/%70ing", "/ping?x=1", "/ping?"] {
                try constants.store(response, target)
                #expect(try constants.found(target) == nil)
            }
            constants.store(response, try Request(method: .head, target: "/ping"))
            try constants.store(Response(status: .notFound), "/ping")
            #expect(try constants.found("/ping") == nil)
            var forEver = response
            forEver.cacheability = .forEver
            for target in [
                "/a.css?v=1&x=1", "/a.css?x=1&v=1", "/a.css?v=%31", "/a.css?&v=1",
                "/a.css?v=1&v=1", "/a.css?v=+1",
            ] {
                try constants.store(forEver, target)
                #expect(try constants.found(target) == nil)
            }
            try constants.store(response, "/a.css?v=1")
            #expect(try constants.found("/a.css?v=1") == nil, "other content may get this address")
            try constants.store(forEver, "/a.css?v=1")
            #expect(try constants.found("/a.css?v=1") != nil)
            for number in 0..<2000 { try constants.store(response, "/\(number)") }
            #expect(try constants.found("/1999") == nil)
        }
    }

    @Test(
        "is forgotten when the operator's message on all pages changes, and makes room for others")
    func eras() async throws {
        try await Services.forPages { services in
            let constants = Constants(services)
            let response = Response(headerFields: [.cacheControl: "no-cache"], body: [0x70])
            for number in 0..<2000 { try constants.store(response, "/\(number)") }
            #expect(try constants.found("/0") != nil)
            let before = constants.era
            constants.mode.set("We move.")
            #expect(try constants.found("/0") == nil)
            // It may have been made before the change.
            constants.store(response, try Request(target: "/0"), of: before)
            #expect(try constants.found("/0") == nil)
            try constants.store(response, "/1999")
            #expect(try constants.found("/1999") != nil)
            constants.mode.set(nil)
            #expect(try constants.found("/1999") == nil)
            try constants.store(response, "/1999")
            constants.mode.set(nil)
            #expect(try constants.found("/1999") != nil, "nothing has changed")
        }
    }

    @Test("is found by the site once it was made")
    func used() async throws {
        try await Services.forPages { services in
            let site = Site(services)
            let request = try Request(target: "/assets/site.css")
            #expect(site.recollection(of: request) == nil)
            let made = await site.respond(to: request, from: .local)
            let cached = try #require(site.recollection(of: request))
            #expect(cached.body == made.body)
            #expect(cached.requestID != made.requestID)
        }
    }
}

extension Site {
    fileprivate func recollection(of request: Request) -> Response? {
        /// Is not told of anything, since no response is from the database.
        final class Nobody: ResponseRecipient {
            func receive(_ response: Response?, to request: Request) {}
        }
        guard
            case .response(let response) = respondFromMemory(
                to: request, from: .local, for: Nobody())
        else { return nil }
        return response
    }
}
