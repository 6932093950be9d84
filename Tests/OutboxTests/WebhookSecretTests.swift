import Sockets
import Testing

@testable import Outbox

@Suite("The secret of a webhook")
struct WebhookSecretTests {
    /// The example in the tests of the libraries of Standard Webhooks.
    @Test("signs as Standard Webhooks says")
    func vector() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        #expect(
            secret.signature(
                id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330,
                body: Array(#"{"test": 2432232314}"#.utf8))
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("is another each time, and read back from its text")
    func roundTrip() throws {
        let secrets = (0..<100).map { _ in WebhookSecret() }
        #expect(Set(secrets.map(\.text)).count == 100)
        for secret in secrets {
            #expect(secret.text.wholeMatch(of: /whsec_[A-Za-z0-9+\/]{43}=/) != nil)
            #expect(WebhookSecret(secret.text)?.bytes == secret.bytes)
        }
    }

    @Test(
        "is refused if it is malformed, too short or too long",
        arguments: [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-",
            "whsec_" + String(repeating: "AAAA", count: 22),
        ])
    func malformed(text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test("goes to hosts that everyone can reach, unless the operator allows all")
    func networks() throws {
        for text in [
            "http://hooks.example/", "https://localhost/", "https://127.0.0.1/",
            "https://10.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest",
        ] {
            let address = try #require(WebhookAddress(text))
            #expect(!WebhookNetworks.public.admit(address), "\(text)")
            #expect(WebhookNetworks.any.admit(address))
        }
        for text in ["https://hooks.example/", "https://8.8.8.8/", "https://[2606:4700::1]/"] {
            let address = try #require(WebhookAddress(text))
            #expect(WebhookNetworks.public.admit(address), "\(text)")
        }
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(!WebhookNetworks.public.admit(loopback))
        #expect(WebhookNetworks.any.admit(loopback))
    }
}
