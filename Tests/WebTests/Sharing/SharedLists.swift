import Foundation
import TestSupport

/// A server with someone of every kind, each with one game on their list, for tests that only read.
struct SharedLists: Sendable {
    let server: TestServer

    /// Made by the first test that asks, and there until the process ends.
    static var shared: SharedLists {
        get async throws { try await task.value }
    }

    private static let task = Task(executorPreference: TestThreads.shared) {
        try await SharedLists()
    }

    /// Markup, quotes, characters that XML cannot hold, those that end a line of JavaScript,
    /// another direction of writing, and one of four bytes.
    static let evilName =
        "</script><b>\"&'\u{1}\u{B}\u{1B}\u{FFFE}\u{FFFF}\u{2028}\u{2029}\u{202E}נועה]]>👾"
    static let evilComment = "<!--<script>\u{2}\t]]>\r\n\"&amp;' לעולם"

    /// The same without what is no character of XML.
    static let nameInXML = "</script><b>\"&'\u{2028}\u{2029}\u{202E}נועה]]>👾"
    static let commentInXML = "<!--<script>\t]]>\r\n\"&amp;' לעולם"

    static let hidden = ["hermit", "banned"]

    private init() async throws {
        server = try await TestServer()
        let session = try server.database.session()
        for name in ["open", "quiet", "evil", "hermit", "banned", "before", "bare"] {
            _ = try session.query(
                "INSERT INTO users (username, display_name) VALUES ($1, $1)", [.text(name)])
        }
        _ = try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT id, 1, 120, 48, '' FROM users WHERE username <> 'bare'
            """)
        _ = try session.query(
            "UPDATE entries SET comment = $1 FROM users u WHERE u.id = user_id AND username = 'evil'",
            [.text(Self.evilComment)])
        _ = try session.query(
            "UPDATE users SET display_name = $1 WHERE username = 'evil'", [.text(Self.evilName)])
        try session.execute(
            """
            UPDATE users SET visibility = 'unlisted' WHERE username = 'quiet';
            UPDATE users SET visibility = 'private' WHERE username = 'hermit';
            UPDATE users SET disabled_at = now() WHERE username = 'banned';
            UPDATE users SET username = 'after' WHERE username = 'before';
            -- A game that only somebody who is hidden, and one that nobody by name has.
            UPDATE entries SET game_id = 73, platform_id = 12 FROM users u
            WHERE u.id = user_id AND username = 'hermit';
            UPDATE entries SET game_id = 71, platform_id = 6 FROM users u
            WHERE u.id = user_id AND username = 'quiet'
            """)
    }

    func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawResponse {
        try server.send("GET", target, fields: fields)
    }
}
