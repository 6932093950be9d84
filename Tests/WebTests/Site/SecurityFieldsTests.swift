import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite("What browsers are told to be strict about", .blocking)
struct SecurityFieldsTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private static let framed = "/@{username}/embed"

    /// What stands for the parameters of a path.
    private static let values = [
        "{user}": String(repeating: "0", count: 64), "{id}": String(repeating: "0", count: 64),
        "{card}": "0.png", "{size}": "cover_big", "{cover}": "co1x7d.jpg",
        "{platform}": "ps4--1", "{game}": "120", "{username}": "rob", "{asset}": "site.css",
        "{provider}": "oidc", "{kind}": "not-found",
        "{session}": "00000000-0000-4000-8000-000000000000",
        "{entry}": "00000000-0000-4000-8000-000000000000",
        "{passkey}": "00000000-0000-4000-8000-000000000000",
        "{app}": "00000000-0000-4000-8000-000000000000",
        "{invitation}": "00000000-0000-4000-8000-000000000000",
        "{case}": "1", "{action}": "1", "{snapshot}": "2026",
        "{circle}": "00000000-0000-4000-8000-000000000000",
        "{member}": "00000000-0000-4000-8000-000000000000",
        "{token}": "00000000-0000-4000-8000-000000000000",
        "{identity}": "00000000-0000-4000-8000-000000000000",
    ]

    private func expect(
        _ response: RawResponse, framed: Bool = false, _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        let what = Comment(rawValue: "\(what): \(response.status)")
        func field(_ name: String) -> String? {
            let all = response.fields.filter { $0.name.lowercased() == name }
            #expect(all.count == 1, what, sourceLocation: location)
            return all.first?.value
        }
        #expect(field("x-content-type-options") == "nosniff", what, sourceLocation: location)
        #expect(
            field("referrer-policy") == "strict-origin-when-cross-origin", what,
            sourceLocation: location)
        #expect(
            field("cross-origin-opener-policy") == "same-origin", what, sourceLocation: location)
        #expect(
            field("strict-transport-security") == "max-age=31536000", what,
            sourceLocation: location)
        #expect(
            field("permissions-policy")?.contains("geolocation=()") == true, what,
            sourceLocation: location)
        let isPage =
            response["content-type"]?.hasPrefix("text/html") == true
            || response["location"] != nil || response["vary"]?.contains("Cookie") == true
        if !framed, response["content-type"]?.hasPrefix("text/html") == true {
            #expect(
                field("cross-origin-resource-policy") == "same-origin", what,
                sourceLocation: location)
        } else if framed || !isPage {
            #expect(
                field("cross-origin-resource-policy") == "cross-origin", what,
                sourceLocation: location)
        }
        let policy = field("content-security-policy") ?? ""
        #expect(policy.hasPrefix("default-src 'none'; "), what, sourceLocation: location)
        #expect(
            policy.hasSuffix("; frame-ancestors \(framed ? "*" : "'none'")"), what,
            sourceLocation: location)
        #expect(policy.contains("base-uri 'none'"), what, sourceLocation: location)
        #expect(policy.contains("form-action '"), what, sourceLocation: location)
        #expect(!policy.contains("unsafe"), what, sourceLocation: location)
    }

    @Test("is said by every address, whatever the method")
    func routes() throws {
        for pattern in Set(Routes.all.map(\.pattern)) {
            let path = Self.values.reduce(pattern) { $0.replacing($1.key, with: $1.value) }
            #expect(!path.contains("{"), "\(pattern): say what it is")
            for method in ["GET", "HEAD", "POST", "OPTIONS", "FOO"] {
                let response = try world.server.send(
                    method, path, json: method == "POST" ? "{}" : nil)
                expect(response, framed: pattern == Self.framed, "\(method) \(path)")
            }
        }
    }

    @Test(
        "is said with errors, redirects, and what has not changed",
        arguments: [
            ("/nothing", 404), ("/api/v1/nothing", 404), ("/?%", 400), ("/%00", 400),
            ("/@Rob", 301), ("/platforms/48", 301), ("/settings", 303), ("/api/v1/me", 401),
            ("/api/v0/nothing", 404), ("/api/v0/games", 400), ("/api/v0/users/me", 401),
            ("/@nobody/feed", 404), ("/oembed", 400), ("/assets/none.css", 404),
            ("/sitemap.xml?part=x", 404), ("/@rob/nothing", 404),
        ])
    func others(path: String, status: Int) throws {
        let response = try world.get(path)
        #expect(response.status == status)
        expect(response, path)
    }

    @Test("is said with 304", arguments: ["/", "/@rob", "/@rob/feed", "/assets/site.css"])
    func notModified(path: String) throws {
        let tag = try #require(world.get(path)["etag"])
        let response = try world.get(path, [("If-None-Match", tag)])
        #expect(response.status == 304)
        expect(response, path)
    }

    @Test(
        "is said to what is no request at all",
        arguments: [
            "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
        ])
    func connectionErrors(text: String) throws {
        let connection = try RawConnection(port: world.server.port)
        try connection.send(text)
        expect(try connection.readResponse(), text)
    }

    @Test("is what a page needs, and no more")
    func kinds() throws {
        for (path, resources) in [
            ("/", "same-origin"), ("/api/v1/platforms", "cross-origin"),
            ("/assets/embed.css", "cross-origin"), ("/@rob/feed", "cross-origin"),
            ("/@rob/embed", "cross-origin"), ("/nothing", "same-origin"),
        ] {
            #expect(try world.get(path)["cross-origin-resource-policy"] == resources, "\(path)")
        }
        let json = try world.get("/api/v1/platforms")["content-security-policy"]
        #expect(
            json
                == "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        )
    }

    @Test(
        "does not include TLS where there is none, or nothing is to be said of it",
        arguments: [
            ("http://fave.example", "31536000", nil), ("https://fave.example", "0", nil),
            ("https://fave.example", "600", "max-age=600"),
        ])
    func strictTransport(url: String, seconds: String, expected: String?) async throws {
        let settings = ["PUBLIC_URL": url, "HSTS_SECONDS": seconds]
        try await TestServer.run(.migrated, settings: settings) { server in
            for path in ["/", "/api/v1/platforms", "/nothing"] {
                let response = try server.send("GET", path)
                #expect(response["strict-transport-security"] == expected)
            }
        }
    }
}
