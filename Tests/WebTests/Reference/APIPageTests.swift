import Endpoints
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The page of the API", .blocking)
struct APIPageTests {
    @Test("shows all that the document has, in less than 500 KB")
    func everything() async throws {
        let page = try await World.shared.get("/api")
        expectPage(page, 200)
        #expect(page.bytes.count < 500_000)
        let document = try OpenAPIDocument.load()
        for operation in document.operations {
            #expect(page.text.contains("id=\"\(operation.id)\""), "\(operation.id)")
            #expect(page.text.contains("<b>\(operation.method)</b> \(operation.path)</code>"))
        }
        for kind in ["schemas", "responses"] {
            for name in (document.root["components"]?[kind]?.members ?? [:]).keys {
                #expect(page.text.contains("id=\"\(name)\""), "\(name)")
            }
        }
        for match in page.text.matches(of: /href="#([^"]+)"/) {
            #expect(page.text.contains("id=\"\(match.1)\""), "\(match.1)")
        }
        for kind in ProblemKind.all where kind != .badGateway {
            #expect(page.text.contains("href=\"\(kind.path)\""), "\(kind)")
        }
    }

    @Test("is the same for all who are not signed in, and nobody else's")
    func visitors() async throws {
        try await TestServer.run(.migrated) { server in
            let first = try server.send("GET", "/api?from=somewhere")
            let member = try server.browser("zelda").get("/api")
            let second = try server.send("GET", "/api")
            expectPage(member, 200, "/@zelda")
            #expect(first.text == second.text)
            #expect(!second.text.contains("zelda"))
            #expect(!second.text.contains("somewhere"))
            #expect(member.text != second.text)
        }
    }
}
