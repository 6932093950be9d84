import Foundation
import TestSupport
import Testing

@Suite("Webhooks", .blocking)
struct WebhookCommandTests {
    @Test("of moderators are tried out by a command that prints the response")
    func command() async throws {
        try await WebhookReceiver.run([204, 404]) { receiver, address in
            let environment = [
                "MODERATION_WEBHOOK_URL": address,
                "MODERATION_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "PUBLIC_URL": "https://fave.example",
                // It connects to checked addresses, so to no proxy that would look them up itself.
                "http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1",
            ]
            let good = try await Program.admin.run(["webhook", "test"], environment: environment)
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output == "127.0.0.1 responds with 204.\n")
            let received = try #require(receiver.received.elements.first)
            #expect(try received.object["event"] as? String == "webhook.test")
            let bad = try await Program.admin.run(["webhook", "test"], environment: environment)
            #expect(bad.status != 0)
            #expect(bad.errors.contains("127.0.0.1 responds with 404."))
            let none = try await Program.admin.run(["webhook", "test"], environment: [:])
            #expect(none.status != 0)
            #expect(none.errors.contains("MODERATION_WEBHOOK_URL is not set"))
        }
    }
}
