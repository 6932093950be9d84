import Foundation
import TestSupport
import Testing

@testable import App

@Suite("fave-admin apps", .blocking)
struct AppsProgramTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.admin.run(["apps"] + arguments, database: database)
    }

    @Test("adds, lists and removes apps")
    func journey() async throws {
        #expect(try await run("list").output == "No apps.\n")
        let redirects = ["https://shelf.example/in", "http://127.0.0.1/in"]
        let added = try await run(
            "add", "Shelf", "https://shelf.example", redirects[0], redirects[1])
        let id = added.output.trimmingCharacters(in: .newlines)
        #expect(UUID(uuidString: id) != nil)
        let apps = try await run("list", "--json").object["apps"] as? [[String: Any]]
        let app = try #require(apps?.first)
        #expect(app["clientId"] as? String == id)
        #expect(app["redirects"] as? [String] == redirects)
        #expect(try await run("remove", id).status == 0)
        #expect(try await run("list").output == "No apps.\n")
        let absent = try await run("remove", id)
        #expect(absent.status == 4)
    }

    @Test("refuses addresses where nobody may be sent")
    func refused() async throws {
        for redirect in ["http://shelf.example/", "shelf:/in", "https://shelf.example/#in"] {
            let outcome = try await run("add", "Shelf", "https://shelf.example", redirect)
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains(redirect))
        }
        #expect(try await run("add", " ", "https://shelf.example", "https://a.example").status != 0)
    }
}
