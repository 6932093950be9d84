import Crypto
import Encodings
import Foundation
import TestSupport
import Testing

/// An authenticator with one key of P-256, which says what a test wants.
private struct Authenticator {
    let key = P256.Signing.PrivateKey()
    let id: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }
    var origin = "https://fave.example"
    var site = "fave.example"

    func clientData(_ type: String, _ challenge: String) -> [UInt8] {
        Array(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8)
    }

    func data(_ flags: UInt8, counter: UInt32) -> [UInt8] {
        Array(SHA256.hash(data: Array(site.utf8))) + [flags]
            + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
    }

    /// The fields of the form that registers.
    func creation(_ challenge: String) -> [String: String] {
        let point = Array(key.publicKey.rawRepresentation)
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        let cose: [UInt8] =
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[..<32]
            + [0x22, 0x58, 0x20] + point[32...]
        let data =
            data(0x45, counter: 0) + [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id
            + cose
        // {"fmt": "none", "attStmt": {}, "authData": …}
        let object: [UInt8] =
            [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8)
            + [0x67] + Array("attStmt".utf8) + [0xA0] + [0x68] + Array("authData".utf8)
            + [0x58, UInt8(data.count)] + data
        return [
            "clientDataJSON": Base64URL.encode(clientData("webauthn.create", challenge)),
            "attestationObject": Base64URL.encode(object),
        ]
    }

    /// The fields of the form that signs in.
    func request(
        _ challenge: String, user: String, counter: UInt32 = 0, flags: UInt8 = 0x05,
        type: String = "webauthn.get", signedBy other: P256.Signing.PrivateKey? = nil
    ) throws -> [String: String] {
        let client = clientData(type, challenge)
        let data = data(flags, counter: counter)
        let signature = try (other ?? key).signature(
            for: data + Array(SHA256.hash(data: client)))
        return [
            "id": Base64URL.encode(id), "clientDataJSON": Base64URL.encode(client),
            "authenticatorData": Base64URL.encode(data),
            "signature": Base64URL.encode(signature.derRepresentation), "userHandle": user,
        ]
    }
}

@Suite("A passkey", .blocking)
struct PasskeyPagesTests {
    private static let settings = ["SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000"]

    private static func challenge(_ response: RawResponse) throws -> String {
        guard response.status == 200 else {
            throw TestFailure("\(response.status) \(response.text)")
        }
        #expect(response["cache-control"] == "no-store")
        return try #require(try response.object.string("challenge"))
    }

    private static func add(
        _ authenticator: Authenticator, _ browser: Browser, name: String = "Phone"
    ) throws -> RawResponse {
        try browser.get("/settings/passkeys")
        let options = try browser.post(
            "/settings/passkeys/options", ["password": Browser.password])
        let fields = authenticator.creation(try challenge(options))
        return try browser.post("/settings/passkeys", fields.merging(["name": name]) { $1 })
    }

    private static func begin(_ server: TestServer) throws -> (Browser, String) {
        let browser = Browser(server)
        try browser.get("/sign-in")
        return (browser, try challenge(browser.post("/sign-in/passkey/options")))
    }

    private static func handle(_ server: TestServer, _ name: String) throws -> String {
        let id: UUID = try server.database.session().query(
            "SELECT id FROM users WHERE username = $1", [.text(name)])[0][0]
        return withUnsafeBytes(of: id.uuid) { Base64URL.encode(Array($0)) }
    }

    private static func run(
        log: Recorder<String>? = nil,
        _ body: (TestServer, Browser, Authenticator, _ handle: String) async throws -> Void
    ) async throws {
        try await TestServer.run(.migrated, settings: settings, log: log) { server in
            let rob = try server.browser("rob")
            let authenticator = Authenticator()
            #expect(try add(authenticator, rob)["location"] == "/settings/passkeys?done=added")
            try await body(server, rob, authenticator, try handle(server, "rob"))
        }
    }

    @Test("signs someone in without a name, and once for each question")
    func signIn() async throws {
        try await Self.run { server, _, authenticator, handle in
            let (browser, challenge) = try Self.begin(server)
            let cookies = browser.cookies
            let response = try authenticator.request(challenge, user: handle)
            #expect(try browser.post("/sign-in/passkey", response).status == 303)
            #expect(try browser.isSignedIn(as: "rob"))
            // Someone who has read all of it, the cookie included.
            let thief = Browser(server)
            thief.cookies = cookies
            try thief.get("/sign-in")
            expectPage(try thief.post("/sign-in/passkey", response), 401)
            #expect(try !thief.isSignedIn)
            // A counter that moves must go on.
            for (counter, status) in [(5, 303), (5, 401), (4, 401), (6, 303), (0, 401)] {
                let (browser, challenge) = try Self.begin(server)
                let response = try authenticator.request(
                    challenge, user: handle, counter: UInt32(counter))
                #expect(
                    try browser.post("/sign-in/passkey", response).status == status, "\(counter)")
            }
        }
    }

    @Test("that is refused or unknown is a failed sign-in in the log")
    func failures() async throws {
        let log = Recorder<String>()
        try await Self.run(log: log) { server, rob, authenticator, handle in
            func attempt(_ authenticator: Authenticator, flags: UInt8 = 0x05) throws {
                let (browser, challenge) = try Self.begin(server)
                let response = try authenticator.request(challenge, user: handle, flags: flags)
                expectPage(try browser.post("/sign-in/passkey", response), 401)
            }
            try attempt(authenticator, flags: 0x01)
            try attempt(Authenticator())
            // A new one that isn't right is no sign-in.
            var elsewhere = Authenticator()
            elsewhere.origin = "https://elsewhere.example"
            expectPage(try Self.add(elsewhere, rob), 401)
        }
        let failures = log.elements.filter { $0.contains("failed sign-in") }
        #expect(failures.map { $0.contains("127.0.0.1, refused passkey") } == [true, false])
        #expect(failures.map { $0.contains("127.0.0.1, unknown passkey") } == [false, true])
    }

    @Test("signs nobody in whose response was changed")
    func tampered() async throws {
        try await Self.run { server, rob, authenticator, handle in
            _ = try server.browser("eve")
            let eve = try Self.handle(server, "eve")
            var phishing = authenticator
            phishing.origin = "https://fave.example.evil.example"
            var elsewhere = authenticator
            elsewhere.site = "evil.example"
            let stranger = Authenticator()
            let old = try Self.begin(server).1
            let attacks: [(String, (String) throws -> [String: String])] = [
                ("origin", { try phishing.request($0, user: handle) }),
                ("RP id", { try elsewhere.request($0, user: handle) }),
                ("challenge", { _ in try authenticator.request(old, user: handle) }),
                ("user absent", { try authenticator.request($0, user: handle, flags: 0x04) }),
                ("type", { try authenticator.request($0, user: handle, type: "webauthn.create") }),
                ("key", { try authenticator.request($0, user: handle, signedBy: stranger.key) }),
                ("user handle", { try authenticator.request($0, user: eve) }),
                ("no user handle", { try authenticator.request($0, user: "") }),
                ("unknown", { try stranger.request($0, user: handle) }),
                (
                    "signature",
                    {
                        try authenticator.request($0, user: handle).merging(["signature": "AAAA"]) {
                            $1
                        }
                    }
                ),
                ("empty", { _ in [:] }),
                (
                    "huge",
                    {
                        try authenticator.request($0, user: handle).merging(
                            ["id": String(repeating: "A", count: 4000)]) { $1 }
                    }
                ),
            ]
            let before = try server.contents()
            for (name, attack) in attacks {
                let (browser, challenge) = try Self.begin(server)
                let response = try browser.post("/sign-in/passkey", attack(challenge))
                #expect(response.status == (name == "empty" ? 422 : 401), "\(name)")
                #expect(try !browser.isSignedIn, "\(name)")
            }
            // Without the cookie that has the question, or with one that was for something else.
            let (browser, challenge) = try Self.begin(server)
            browser.cookies["__Host-challenge"] = nil
            expectPage(
                try browser.post(
                    "/sign-in/passkey", authenticator.request(challenge, user: handle)), 401,
                "took too long")
            try rob.get("/settings/passkeys")
            let creation = try Self.challenge(
                rob.post("/settings/passkeys/options", ["password": Browser.password]))
            browser.cookies["__Host-challenge"] = rob.cookies["__Host-challenge"]
            try browser.get("/sign-in")
            expectPage(
                try browser.post(
                    "/sign-in/passkey", authenticator.request(creation, user: handle)), 401)
            #expect(try server.contents() == before)
        }
    }

    @Test("is added with the password only, to one's own account, and each to one account")
    func adding() async throws {
        try await Self.run { server, rob, authenticator, _ in
            try rob.get("/settings/passkeys")
            expectPage(
                try rob.post("/settings/passkeys/options", ["password": "wrong"]), 403,
                "Wrong password")
            let eve = try server.browser("eve")
            expectPage(try Self.add(authenticator, eve), 409, "in use already")
            // Rob's challenge, responded to in eve's session.
            let challenge = try Self.challenge(
                rob.post("/settings/passkeys/options", ["password": Browser.password]))
            eve.cookies["__Host-challenge"] = rob.cookies["__Host-challenge"]
            try eve.get("/settings/passkeys")
            let fields = Authenticator().creation(challenge).merging(["name": "x"]) { $1 }
            expectPage(try eve.post("/settings/passkeys", fields), 401)
            var evil = Authenticator()
            evil.origin = "https://evil.example"
            expectPage(try Self.add(evil, eve), 401)
            expectPage(try Self.add(Authenticator(), eve, name: " "), 422, "1 to 60")
            #expect(try server.count("passkeys") == 1)
            for _ in 0..<19 { #expect(try Self.add(Authenticator(), rob).status == 303) }
            expectPage(try Self.add(Authenticator(), rob), 409, "at most 20 passkeys")
        }
    }

    @Test("is removed by its owner, unless it is the last way to sign in")
    func removing() async throws {
        try await Self.run { server, rob, authenticator, handle in
            let id: String = try server.database.session().query("SELECT id::text FROM passkeys")[
                0][0]
            let eve = try server.browser("eve")
            try eve.get("/settings/passkeys")
            _ = try eve.post("/settings/passkeys/\(id)/remove")
            #expect(try server.count("passkeys") == 1)
            try server.execute(
                "DELETE FROM passwords WHERE user_id = (SELECT id FROM users WHERE username = 'rob')"
            )
            try rob.get("/settings/passkeys")
            expectPage(
                try rob.post("/settings/passkeys/\(id)/remove"), 409, "only way to sign in")
            #expect(try server.count("passkeys") == 1)
            // Whom a moderator has shut out doesn't get in that way either.
            try server.execute(
                "UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            let (browser, challenge) = try Self.begin(server)
            expectPage(
                try browser.post(
                    "/sign-in/passkey", authenticator.request(challenge, user: handle)), 403)
        }
    }

    @Test("is not offered at an IP address")
    func address() async throws {
        for url in ["http://127.0.0.1:8080", "http://fave.example", "https://192.0.2.1"] {
            try await TestServer.run(.migrated, settings: ["PUBLIC_URL": url]) { server in
                let page = try server.send("GET", "/sign-in")
                #expect(!page.text.contains("passkey"))
            }
        }
    }
}
