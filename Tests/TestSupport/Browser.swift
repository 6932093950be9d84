import Foundation

/// A browser, as far as tests need one: it keeps cookies, and fills in the token of a form from the
/// page that it got last. It follows no redirects.
public final class Browser {
    private let server: TestServer
    public var cookies: [String: String] = [:]
    /// Of the form on the page that was got last.
    public private(set) var token: String?

    public init(_ server: TestServer) { self.server = server }

    public static let origin = "https://fave.example"

    /// The name of the cookie that says who is signed in.
    public static let sessionCookie = "__Host-session"

    @discardableResult
    public func get(_ target: String, fields: [(String, String)] = []) throws -> RawResponse {
        try send("GET", target, fields: fields, body: "")
    }

    /// Sends a form.
    ///
    /// - Parameters:
    ///   - items: Names and values; `token` is filled in if it is not among them.
    ///   - fields: What says where the form comes from.
    @discardableResult
    public func post(
        _ target: String, _ items: [String: String] = [:],
        fields: [(String, String)] = [
            ("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin"),
        ]
    ) throws -> RawResponse {
        var items = items
        if items["token"] == nil { items["token"] = token }
        return try post(target, inOrder: items.sorted { $0.key < $1.key }, fields: fields)
    }

    /// Sends a form whose fields come in this order, its token among them.
    @discardableResult
    public func post(
        _ target: String, inOrder items: [(key: String, value: String)],
        fields: [(String, String)] = [
            ("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin"),
        ]
    ) throws -> RawResponse {
        let body = items.map { "\(Self.escape($0))=\(Self.escape($1))" }.joined(separator: "&")
        return try send(
            "POST", target,
            fields: [("Content-Type", "application/x-www-form-urlencoded")] + fields, body: body)
    }

    /// Signs up, and is signed in then.
    @discardableResult
    public func signUp(
        _ username: String, password: String = "tulip staple 42"
    ) throws -> RawResponse {
        try get("/sign-up")
        let response = try post("/sign-up", ["username": username, "password": password])
        guard response.status == 303 else { throw TestFailure("sign-up: \(response.text)") }
        try get("/settings")
        return response
    }

    /// Whether the pages are for this user.
    public func isSignedIn(as username: String) throws -> Bool {
        try get("/me").text.contains("<a href=\"/@\(username)\">My list")
    }

    /// Signs in, whatever comes of it.
    @discardableResult
    public func signIn(
        _ username: String, password: String = "tulip staple 42"
    ) throws -> RawResponse {
        try get("/sign-in")
        let response = try post("/sign-in", ["username": username, "password": password])
        if response.status == 303 { try get("/settings") }
        return response
    }

    /// Signs up with the names that are suggested to someone whom a provider has sent for the first
    /// time.
    ///
    /// - Parameter response: What followed on the return from the provider. If it leads elsewhere, it is
    ///   returned.
    @discardableResult
    public func chooseSuggestedName(after response: RawResponse) throws -> RawResponse {
        guard response["location"] == "/sign-up/name" else { return response }
        let page = try get("/sign-up/name")
        func suggested(_ name: String) -> String {
            page.text.components(separatedBy: "<input ").lazy
                .filter { $0.contains("name=\"\(name)\"") }
                .compactMap { $0.firstMatch(of: /\ value="([^"]*)"/).map { String($0.1) } }.first
                ?? ""
        }
        return try post(
            "/sign-up/name",
            [
                "username": suggested("username"), "displayName": suggested("displayName"),
                "visibility": "public",
            ])
    }

    /// Whether the settings are shown, and not the way to sign in.
    public var isSignedIn: Bool {
        get throws { try get("/settings").status == 200 }
    }

    public func send(
        _ method: String, _ target: String, fields: [(String, String)], body: String
    ) throws -> RawResponse {
        let connection = try RawConnection(port: server.port)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: fave.example\r\nConnection: close\r\n"
        if !cookies.isEmpty {
            head += "Cookie: \(cookies.map { "\($0)=\($1)" }.joined(separator: "; "))\r\n"
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if method != "GET" { head += "Content-Length: \(body.utf8.count)\r\n" }
        try connection.send(head + "\r\n" + body)
        let response = try connection.readResponse()
        for field in response.fields where field.name.lowercased() == "set-cookie" {
            take(field.value)
        }
        if let match = response.text.firstMatch(of: /name="token" value="([^"]*)"/) {
            token = String(match.1)
        }
        return response
    }

    private func take(_ cookie: String) {
        let pair = cookie.split(separator: ";")[0]
            .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isRemoval = cookie.contains("Max-Age=0")
        cookies[String(pair[0])] = isRemoval ? nil : String(pair[1])
    }

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
