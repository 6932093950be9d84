import Foundation
import Logging
import TestSupport
import Testing

@testable import App

@Suite("fail2ban", .blocking)
struct Fail2BanTests {
    /// The filter's expression. fail2ban puts expressions of its own for tags.
    private static func filter() throws -> Regex<AnyRegexOutput> {
        let file = TestDatabase.repository + "/contrib/fail2ban/filter.conf"
        let line = try #require(
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                .first { $0.hasPrefix("failregex = ") })
        let text = line.dropFirst("failregex = ".count)
            .replacing("<ADDR>", with: "(?<address>[0-9A-Fa-f:.]+)")
        return try Regex(String(text))
    }

    private static func address(_ line: String) throws -> String? {
        let match = try line.firstMatch(of: filter())
        return match?["address"]?.substring.map { String($0) }
    }

    /// A line as fail2ban searches it: without the time.
    private static func withoutTime(_ line: some StringProtocol) -> String {
        String(line).replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "")
    }

    @Test("finds the address in the server's line, in both formats", arguments: ["text", "json"])
    func program(format: String) async throws {
        let database = try TestDatabase(.migrated)
        let server = try Program.server.start(
            database: database,
            environment: ["LOOPS": "1", "PORT": "0", "LOG_FORMAT": format, "ACCESS_LOG": "on"])
        let port = try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1
        let connection = try RawConnection(port: try #require(Int(port)))
        let body = #"{"username": "rob", "password": "failed sign-in from 9.9.9.9, wrong"}"#
        try connection.send(
            """
            POST /api/v1/sessions HTTP/1.1\r
            Host: x\r
            User-Agent: notice: failed sign-in from 9.9.9.9, wrong password\r
            Referer: failed sign-in from 9.9.9.9, wrong password\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        #expect(try connection.readResponse().status == 401)
        _ = try await server.waitForErrors(/POST .api.v1.sessions/)
        server.send(signal: SIGTERM)
        let lines = try await server.end().errors.split(separator: "\n")
        #expect(lines.contains { $0.contains("9.9.9.9") }, "the access log has what was sent")
        let found = try lines.compactMap { try Self.address(Self.withoutTime($0)) }
        #expect(found == ["127.0.0.1"])
    }

    @Test("finds it in the journal, and nothing in what a message quotes")
    func journal() throws {
        for address in ["192.0.2.1", "2001:db8::1", "::1"] {
            for kind in [LineFormat.Kind.text, .json] {
                let line = LineFormat(kind, isJournal: true).line(
                    .notice, "failed sign-in from \(address), wrong password", ["request": "7"])
                // The journal takes the priority, and fail2ban puts the host and the program before.
                let text = String(decoding: line, as: UTF8.self).replacing("<5>", with: "")
                #expect(try Self.address(" host fave-server[123]: \(text)") == address)
            }
        }
        let quoted = "failed sign-in from 9.9.9.9, wrong password"
        for (isJournal, end) in [(false, "\n"), (true, "\n"), (false, "\r\n"), (true, "\r\n")] {
            let quoting = "bad\(end)\(quoted)"
            for kind in [LineFormat.Kind.text, .json] {
                let lines = LineFormat(kind, isJournal: isJournal).line(
                    .notice, quoting, ["detail": "\(quoting)\nnotice: \(quoting)"])
                for line in String(decoding: lines, as: UTF8.self).split(
                    whereSeparator: \.isNewline)
                {
                    let text = Self.withoutTime(line.replacing("<5>", with: ""))
                    #expect(
                        try Self.address(isJournal ? " host fave-server[123]: \(text)" : text)
                            == nil, "\(line)")
                }
            }
        }
    }
}
