import Endpoints
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The table of routes", .blocking)
struct RouteTableTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/routes.md").standardized

    private static let introduction = """
        # Routes

        Every address of the service. A test compares this file with the routes that the code \
        declares; `RECORD_SNAPSHOTS=1 swift test --filter RouteTable` updates it. Costs count \
        against the [rate limits](settings.md).


        """

    /// The folders of Web's files, by their names.
    private static func folders() throws -> [String: String] {
        let sources = TestDatabase.repository + "/Sources/Web"
        let paths = try #require(FileManager.default.enumerator(atPath: sources))
            .compactMap { $0 as? String }.filter { $0.contains("/") && $0.hasSuffix(".swift") }
        return try Dictionary(
            paths.map { path in
                let parts = path.split(separator: "/")
                return (String(try #require(parts.last)), parts.dropLast().joined(separator: "/"))
            }, uniquingKeysWith: { one, other in "\(one) or \(other)" })
    }

    @Test("is in the documents, and current")
    func document() throws {
        let text = Self.introduction + RouteTable.markdown(Routes.all, in: try Self.folders())
        guard ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == nil else {
            return try Data(text.utf8).write(to: Self.file)
        }
        let recorded = try String(contentsOf: Self.file, encoding: .utf8)
        let difference = text.split(separator: "\n").difference(
            from: recorded.split(separator: "\n"))
        #expect(difference.isEmpty, "record docs/routes.md again")
    }

    @Test("says of every route who may call it, and the file that declares it")
    func rows() throws {
        let rows = RouteTable.markdown(Routes.all).split(separator: "\n").dropFirst(2)
        #expect(rows.count == Routes.all.count)
        #expect(
            rows.contains(
                "| PUT | `/api/v1/me/list` | a token's user | list:write | 1 unit |  "
                    + "| MyListAPI.swift |"))
        #expect(
            rows.contains {
                $0.hasPrefix("| POST | `/settings/password` | a signed-in visitor |  | 5 units")
            })
        #expect(rows.contains { $0.contains("| moderators |") && $0.contains("ModerationPage") })
    }
}
