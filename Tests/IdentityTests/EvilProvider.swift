import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import Identity

/// An OpenID provider that responds with whatever a test tells it to, right or wrong.
final class EvilProvider: Responder {
    struct State {
        /// Members of the metadata; `NSNull` takes one away.
        var metadata: @Sendable (_ issuer: String) -> [String: Any] = { _ in [:] }
        var keys: [TestKey] = []
        /// The token endpoint's response; `nil` for the ID token below.
        var tokenResponse: Response?
        /// The way in which the client must tell its secret; `nil` for any.
        var authentication: String?
        var idToken: String? = ""
        var userinfo: String?
        var requests: [Request] = []
    }

    private let state = Mutex(State())
    let issuer: String
    let key = TestKey.ed25519("good")

    private init(port: Int) { issuer = "http://127.0.0.1:\(port)" }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// What the server has asked at a path.
    func requests(_ path: String) -> [Request] {
        state.withLock { $0.requests.filter { $0.target.path == path } }
    }

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        state.withLock { state in
            state.requests.append(request)
            switch request.target.path {
            case "/.well-known/openid-configuration":
                let metadata: [String: Any] = [
                    "issuer": issuer, "authorization_endpoint": issuer + "/authorize",
                    "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
                    "userinfo_endpoint": issuer + "/userinfo",
                ]
                let all = metadata.merging(state.metadata(issuer)) { $1 }
                return Self.json(all.filter { !($0.value is NSNull) })
            case "/keys": return Self.json(["keys": state.keys.map(\.jwk)])
            case "/token":
                if let response = state.tokenResponse { return response }
                let isBasic = request.headerFields[.authorization] != nil
                if let only = state.authentication, (only == "client_secret_basic") != isBasic {
                    var refusal = Self.json(["error": "invalid_client"])
                    refusal.status = .unauthorized
                    return refusal
                }
                var tokens = ["access_token": "access", "token_type": "Bearer"]
                tokens["id_token"] = state.idToken
                return Self.json(tokens)
            case "/userinfo":
                guard let userinfo = state.userinfo else { return Response(status: .notFound) }
                return Response(body: Array(userinfo.utf8))
            default: return Response(status: .notFound)
            }
        }
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }

    static func json(_ object: [String: Any]) -> Response {
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return Response(headerFields: [.contentType: "application/json"], body: Array(data))
    }

    /// Runs `body` with a provider and a server that people can sign in to with it.
    static func with(
        settings: [String: String] = [:], log: Recorder<String>? = nil,
        _ body: (EvilProvider, TestServer) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let socket = try ListeningSocket(
                SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
            let provider = EvilProvider(port: socket.address.port ?? 0)
            provider.set { $0.keys = [provider.key] }
            let site = try await HTTPServer(
                ServerConfiguration(), sockets: [socket], loops: [loop]
            ) { _ in provider }
            let environment = [
                "OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": "fave",
                "OIDC_CLIENT_SECRET": "s3cret", "OIDC_NAME": "Evil <b>",
            ].merging(settings) { $1 }
            try await TestServer.run(.migrated, settings: environment, log: log) { server in
                try await body(provider, server)
            }
            await site.drain()
        }
    }

    /// An ID token, right but for what is given.
    func idToken(
        _ attempt: Attempt, by key: TestKey? = nil, header: [String: Any] = [:],
        claims: [String: Any] = [:]
    ) throws -> String {
        let now = Date().timeIntervalSince1970.rounded()
        let right: [String: Any] = [
            "iss": issuer, "aud": "fave", "sub": "person-1", "nonce": attempt.nonce, "iat": now,
            "exp": now + 300, "preferred_username": "mallory",
        ]
        return try (key ?? self.key).token(header: header, claims: right.merging(claims) { $1 })
    }
}

/// Someone on their way to sign in with a provider.
struct Attempt {
    let browser: Browser
    let state: String
    let nonce: String
    let query: [String: String]

    init(_ server: TestServer, query: String = "") throws {
        try self.init(Browser(server), query: query)
    }

    init(_ browser: Browser, query: String = "") throws {
        self.browser = browser
        let response = try browser.get("/sign-in/with/oidc" + query)
        let items = URLComponents(string: response["location"] ?? "")?.queryItems ?? []
        self.query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        guard let state = self.query["state"], let nonce = self.query["nonce"] else {
            throw TestFailure("no way to the provider: \(response.status) \(response.text)")
        }
        self.state = state
        self.nonce = nonce
    }

    /// Comes back from the provider, and takes the name that is suggested.
    func finish(_ more: String = "", code: String = "code") throws -> RawResponse {
        try browser.chooseSuggestedName(
            after: browser.get("/sign-in/with/oidc/callback?code=\(code)&state=\(state)\(more)"))
    }
}
