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

        Every address of the service, by feature: a folder of `Sources/Web`. \
        \(RouteTable.emptyCells) Costs count against the [rate limits](api.md#limits).

        A test compares this file with the routes that the code declares; \
        `RECORD_SNAPSHOTS=1 script/test -- --filter RouteTable` updates it.


        """

    @Test("is in the documents, and current")
    func document() throws {
        let contents = Routes.features.map {
            "- [\($0.name)](#\($0.name.lowercased())): \($0.summary)"
        }
        let chapters = Routes.features.map {
            "\n## \($0.name)\n\n\($0.summary)\n\n\(RouteTable.markdown($0.routes))"
        }
        let text = Self.introduction + contents.joined(separator: "\n") + "\n" + chapters.joined()
        guard ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == nil else {
            return try Data(text.utf8).write(to: Self.file)
        }
        let recorded = try String(contentsOf: Self.file, encoding: .utf8)
        let difference = text.split(separator: "\n").difference(
            from: recorded.split(separator: "\n"))
        #expect(difference.isEmpty, "record docs/routes.md again")
    }

    @Test("names each feature after the folder that declares its routes")
    func features() {
        let sources = TestDatabase.repository + "/Sources/Web/"
        for feature in Routes.features {
            #expect(!feature.routes.isEmpty)
            for route in feature.routes {
                let file = String(route.file.split(separator: "/").last ?? "")
                let paths =
                    FileManager.default.enumerator(atPath: sources + feature.name)?
                    .compactMap { $0 as? String } ?? []
                #expect(
                    paths.contains { $0 == file || $0.hasSuffix("/" + file) },
                    "\(route.pattern) is declared in \(file), outside of \(feature.name)")
            }
        }
    }

    @Test("says of every route who may send it, and the file that declares it")
    func rows() throws {
        let rows = RouteTable.markdown(Routes.all).split(separator: "\n").dropFirst(2)
        #expect(rows.count == Routes.all.count)
        #expect(
            rows.contains(
                "| PUT | `/api/v1/me/list` | tokens with `list:write` |  |  | MyListAPI.swift |"))
        #expect(
            rows.contains {
                $0.hasPrefix("| POST | `/settings/password` | people who are signed in | 5 units")
            })
        #expect(rows.contains { $0.contains("| moderators |") && $0.contains("ModerationPage") })
        #expect(rows.contains { $0.hasPrefix("| GET | `/api/v1/circles/{circle}` | anyone, and") })
    }
}
