import Foundation
import Identity
import TestSupport
import Testing

@testable import Web

extension RawResponse {
    /// The cookies that it sets, as they stand in the fields.
    var setCookies: [String] {
        fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
    }

    /// The cookie of a name as it is set, with its attributes; `nil` if it is not.
    func setCookie(_ name: String) -> String? { setCookies.first { $0.hasPrefix(name + "=") } }

    /// The tag of a form's control.
    func control(_ id: String) -> String {
        text.components(separatedBy: "<").first { $0.contains(" id=\"\(id)\" ") } ?? ""
    }

    /// What a page says is wrong with a control.
    func fault(_ id: String) -> String? {
        let mark = "id=\"\(id)-fault\">"
        guard let start = text.range(of: mark)?.upperBound,
            let end = text.range(of: "</p>", range: start..<text.endIndex)?.lowerBound
        else { return nil }
        return String(text[start..<end])
    }
}

/// Checks that a page is shown again with one thing wrong, which stands at its control.
func expectFault(
    _ response: RawResponse, at id: String, _ text: String, status: Int = 422,
    value: String? = nil, at location: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, sourceLocation: location)
    #expect(response.setCookie(Browser.sessionCookie) == nil, sourceLocation: location)
    #expect(
        response.fault(id)?.contains(text) == true, "\(response.fault(id) ?? "no fault")",
        sourceLocation: location)
    let control = response.control(id)
    #expect(control.contains("aria-invalid=\"true\""), "\(control)", sourceLocation: location)
    #expect(control.contains("\(id)-fault"), "\(control)", sourceLocation: location)
    #expect(
        response.text.components(separatedBy: "aria-invalid").count == 2,
        "it stands at one control only", sourceLocation: location)
    if let value {
        #expect(
            control.contains("value=\"\(value)\""), "\(control)", sourceLocation: location)
    }
}

/// Checks that a response is a page with this status.
func expectPage(
    _ response: RawResponse, _ status: Int, _ text: String = "",
    at location: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(response.text)", sourceLocation: location)
    #expect(
        response["content-type"] == "text/html; charset=utf-8", sourceLocation: location)
    if !text.isEmpty {
        #expect(response.text.contains(text), "\(response.text)", sourceLocation: location)
    }
}

extension Browser {
    static let password = "tulip staple 42"

    /// Another browser with the same cookies: a copy that someone has made.
    func copy(_ server: TestServer) -> Browser {
        let copy = Browser(server)
        copy.cookies = cookies
        return copy
    }

    var session: String? { cookies[Self.sessionCookie] }

    /// The token of forms that belong to the browser's cookies, also where no page shows one.
    var ownToken: String {
        (session ?? cookies["__Host-form"]).flatMap { SecretToken($0) }?.formToken() ?? ""
    }
}

extension TestServer {
    /// Signs up with a browser of their own.
    @discardableResult
    func browser(_ username: String) throws -> Browser {
        let browser = Browser(self)
        try browser.signUp(username)
        return browser
    }

    /// A browser that is signed in as someone who is there, whatever ways in they have.
    func browser(signedInAs username: String) throws -> Browser {
        let token = SecretToken()
        try execute(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            SELECT id, 'browser', '\\x\(Self.hexadecimal(token.hash))', now() + interval '1 day'
            FROM users WHERE username = '\(username)'
            """)
        let browser = Browser(self)
        browser.cookies[Browser.sessionCookie] = token.text
        try browser.get("/settings")
        return browser
    }

    func execute(_ sql: String) throws { try database.session().execute(sql) }

    func count(_ table: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(table)")[0][0]
    }

    /// All rows of the tables of accounts and lists, but for when a session was seen.
    func contents() throws -> [String] {
        try rows(
            of: [
                "users", "passwords", "sessions", "identities", "former_usernames", "entries",
                "retired_usernames",
                "recovery_codes", "personal_tokens", "cases", "reports", "moderation_actions",
                "invitations", "mail_addresses", "passkeys", "mail_verifications", "snapshots",
                "snapshot_entries", "follows", "follow_feeds", "blocks", "hearts", "circles",
                "circle_members", "circle_invitations", "circle_webhooks", "outgoing_webhooks",
                "imports", "apps",
            ])
    }

    /// All rows of all tables.
    func everything() throws -> [String] {
        let tables = try database.session().query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        var names: [String] = []
        for row in tables { names.append(try row[0]) }
        return try rows(
            of: names.filter { !["games", "game_names", "game_platforms"].contains($0) })
    }

    private func rows(of tables: [String]) throws -> [String] {
        let session = try database.session()
        var rows: [String] = []
        for table in tables {
            for row in try session.query(
                "SELECT (to_jsonb(t) - 'seen_at')::text AS row FROM \(table) t ORDER BY row")
            {
                let text: String = try row[0]
                rows.append("\(table) \(text)")
            }
        }
        return rows
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}

func peek(_ response: RawResponse, _ name: String) {
    try? response.text.write(
        toFile: "/tmp/h/p/pages/\(name).html", atomically: false, encoding: .utf8)
}
