import Foundation
import TestSupport

/// An app that ada has registered, and rob's browser, whose account it asks to use.
struct OAuthApp {
    let server: TestServer
    let rob: Browser
    let id: String

    static let redirect = "https://shelf.example/signed-in?from=fave"
    static let loopback = "http://127.0.0.1/callback"
    /// RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static func run(
        settings: [String: String] = [:], _ body: (OAuthApp) async throws -> Void
    ) async throws {
        try await TestServer.run(.migrated, settings: settings) { server in
            let ada = try server.browser("ada")
            let id = try register("Shelf", by: ada, [redirect, loopback])
            let rob = try server.browser("rob")
            try await body(OAuthApp(server: server, rob: rob, id: id))
        }
    }

    /// - Returns: The app's id.
    static func register(
        _ name: String, by browser: Browser, _ redirects: [String]
    ) throws -> String {
        try browser.get("/settings/apps")
        let made = try browser.post(
            "/settings/apps",
            [
                "name": name, "address": "https://shelf.example",
                "redirects": redirects.joined(separator: "\r\n"),
            ])
        guard made.status == 303 else { throw TestFailure(made.text) }
        let page = try browser.get("/settings/apps").text
        guard let match = page.firstMatch(of: /Client ID: <code>([0-9a-f-]{36})/) else {
            throw TestFailure(page)
        }
        return String(match.1)
    }

    // MARK: Asking

    /// The address that the app sends people to.
    func target(_ changes: [String: String?] = [:]) -> String {
        let values: [String: String?] = [
            "response_type": "code", "client_id": id, "redirect_uri": Self.redirect,
            "code_challenge": Self.challenge, "code_challenge_method": "S256",
            "scope": "read list:write", "state": "a b&c=1",
        ]
        return "/oauth/authorize?" + Self.form(values.merging(changes) { $1 })
    }

    static func form(_ values: [String: String?]) -> String {
        values.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map {
                "\(name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
        }.joined(separator: "&")
    }

    /// Says yes or no, and returns what the app gets with the browser.
    func decide(
        _ decision: String = "allow", _ changes: [String: String?] = [:], by browser: Browser? = nil
    ) throws -> [String: String] {
        let browser = browser ?? rob
        let page = try browser.get(target(changes))
        guard page.status == 200 else { throw TestFailure("\(page.status) \(page.text)") }
        return try parameters(of: browser.post(target(changes), ["decision": decision]))
    }

    /// What a way back to the app says.
    func parameters(of page: RawResponse) throws -> [String: String] {
        guard page.status == 200,
            let match = page.text.firstMatch(of: /http-equiv="refresh" content="0; ?url=([^"]*)"/)
        else { throw TestFailure("\(page.status) \(page.text)") }
        let address = String(match.1).replacing("&amp;", with: "&")
        guard address.hasPrefix(Self.redirect + "&"),
            let items = URLComponents(string: address)?.queryItems
        else { throw TestFailure("not the app's: \(address)") }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// A code that rob has allowed.
    func code(_ changes: [String: String?] = [:]) throws -> String {
        guard let code = try decide("allow", changes)["code"] else { throw TestFailure("no code") }
        return code
    }

    // MARK: Tokens

    struct Tokens {
        let access: String
        let refresh: String
    }

    @discardableResult
    func post(_ path: String, _ values: [String: String?]) throws -> RawResponse {
        try server.send(
            "POST", path, json: Self.form(values), type: "application/x-www-form-urlencoded")
    }

    func exchange(_ code: String, _ changes: [String: String?] = [:]) throws -> RawResponse {
        let values: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": id,
            "redirect_uri": Self.redirect, "code_verifier": Self.verifier,
        ]
        return try post("/oauth/token", values.merging(changes) { $1 })
    }

    func refresh(_ token: String, _ changes: [String: String?] = [:]) throws -> RawResponse {
        let values: [String: String?] = [
            "grant_type": "refresh_token", "refresh_token": token, "client_id": id,
        ]
        return try post("/oauth/token", values.merging(changes) { $1 })
    }

    func tokens(_ response: RawResponse) throws -> Tokens {
        guard response.status == 200, let access = try response.object.string("access_token"),
            let refresh = try response.object.string("refresh_token")
        else { throw TestFailure("\(response.status) \(response.text)") }
        return Tokens(access: access, refresh: refresh)
    }

    /// The tokens of an app that rob has let in.
    func tokens(_ scope: String = "read list:write") throws -> Tokens {
        try tokens(exchange(code(["scope": scope])))
    }

    /// Whether rob is shown to whoever has this token.
    func works(_ tokens: Tokens) throws -> Bool {
        try server.send("GET", "/api/v1/me", token: tokens.access).status == 200
    }
}
