import Foundation
import Identity
import TestSupport
import Testing
import WebAuthn

@Suite("A failed sign-in", .blocking)
struct FailedSignInsTests {
    /// The lines about failed sign-ins since the last call, without what identifies their requests.
    private static func take(_ log: Recorder<String>) -> [String] {
        let lines = log.take()
        #expect(!lines.contains { $0.contains("gue55ed") }, "secrets must not be logged")
        return lines.filter { $0.contains("failed sign-in") }.map {
            String($0.prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces)
        }
    }

    private static let wrong = "notice: failed sign-in from 127.0.0.1, wrong password"

    @Test(
        "is in the log with its address, whatever was tried and wherever, and without what was typed"
    )
    func ways() async throws {
        let log = Recorder<String>()
        try await TestServer.run(.migrated, log: log) { server in
            let rob = try server.browser("rob")
            #expect(Self.take(log).isEmpty, "one that succeeds is none")
            let browser = Browser(server)
            // A name that is someone's password, too.
            for name in ["rob", "gue55ed", "x\nfailed sign-in from 9.9.9.9, gue55ed"] {
                #expect(try browser.signIn(name, password: "gue55ed password").status == 401)
                #expect(Self.take(log) == [Self.wrong])
            }
            let api = try server.send(
                "POST", "/api/v1/sessions", json: #"{"username": "rob", "password": "gue55ed"}"#)
            #expect(api.status == 401)
            #expect(Self.take(log) == [Self.wrong])
            let repeated = try server.send(
                "POST", "/api/v1/sessions", fields: [("Idempotency-Key", "0123456789abcdef")],
                json: #"{"username": "rob", "password": "gue55ed"}"#)
            #expect(repeated.status == 401)
            #expect(Self.take(log) == [Self.wrong])
            try browser.get("/sign-in/recover")
            let recovery = try browser.post(
                "/sign-in/recover",
                [
                    "username": "rob", "code": "gue5-5edg-ue55-edgu",
                    "newPassword": "daisy hammer 77",
                ])
            #expect(recovery.status == 401)
            #expect(
                Self.take(log) == ["notice: failed sign-in from 127.0.0.1, wrong recovery code"])
            _ = try rob.post(
                "/settings/password",
                ["currentPassword": "gue55ed", "newPassword": "daisy hammer 77"])
            #expect(Self.take(log) == [Self.wrong])
        }
    }

    @Test("has the address that a trusted proxy names")
    func proxy() async throws {
        let log = Recorder<String>()
        let settings = ["TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(.migrated, settings: settings, log: log) { server in
            for (field, address) in [
                ("198.51.100.7", "198.51.100.7"), ("9.9.9.9, 198.51.100.7", "198.51.100.7"),
                ("2001:db8::0:7", "2001:db8::7"), ("9.9.9.9, wrong password", "127.0.0.1"),
            ] {
                _ = try server.send(
                    "POST", "/api/v1/sessions", fields: [("X-Forwarded-For", field)],
                    json: #"{"username": "rob", "password": "gue55ed"}"#)
                #expect(
                    Self.take(log) == ["notice: failed sign-in from \(address), wrong password"])
            }
        }
    }

    @Test(
        "is not what can't be a guess: tokens, links, too many attempts, and a passkey that took too long"
    )
    func others() async throws {
        let log = Recorder<String>()
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "1"]
        try await TestServer.run(.migrated, settings: settings, log: log) { server in
            let browser = Browser(server)
            for status in [401, 429, 429] {
                let response = try browser.signIn("rob", password: "gue55ed")
                #expect(response.status == status)
            }
            #expect(Self.take(log) == [Self.wrong])
            #expect(try server.send("GET", "/api/v1/me", token: "gue55ed").status == 401)
            #expect(try browser.get("/sign-in/reset?token=gue55ed").status == 403)
            #expect(Self.take(log).isEmpty)
        }
        #expect(AccountError.passkeyUnknown.failedProof == "unknown passkey")
        #expect(AccountError.passkeyRefused(.challengeMismatch).failedProof == nil)
        #expect(AccountError.newPasskeyRefused(.signatureInvalid).failedProof == nil)
        #expect(AccountError.passkeyRefused(.signatureInvalid).failedProof == "refused passkey")
        #expect(AccountError.suspended(until: nil, reason: "").failedProof == nil)
    }
}
