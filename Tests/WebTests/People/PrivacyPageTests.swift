import Foundation
import Storage
import StorageWrites
import TestSupport
import Testing

@Suite("The page on privacy", .blocking)
struct PrivacyPageTests {
    private static func items(_ server: TestServer) throws -> [String] {
        try server.send("GET", "/privacy").text.matches(of: /<li id="(.*?)"><b>/).map {
            String($0.1)
        }
    }

    @Test("tells everything that is stored, and of mail only where there is some")
    func items() async throws {
        try await TestServer.run(.migrated) { server async throws in
            #expect(try Self.items(server) == StoredData.all.filter { !$0.needsMail }.map(\.id))
        }
        let mail = ["SMTP_URL": "smtp://127.0.0.1:1?tls=off", "SMTP_FROM": "games@fave.example"]
        try await TestServer.run(.migrated, settings: mail) { server async throws in
            #expect(try Self.items(server) == StoredData.all.map(\.id))
        }
    }
}
