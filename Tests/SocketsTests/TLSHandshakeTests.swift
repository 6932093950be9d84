import COpenSSL
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("A TLS handshake", .blocking)
struct TLSHandshakeTests {
    /// Does a handshake with a server, and has it echo something.
    ///
    /// - Throws: If the handshake fails.
    @discardableResult
    private static func shake(
        _ server: TLSServer? = nil, _ options: TLSClient.Options = .init()
    ) async throws -> TLSClient {
        let server = try server ?? StreamFixture.tlsServer()
        return try await StreamFixture.run(.tcp, tls: server) { recorder in
            recorder.onReceive = { stream, bytes in
                stream.write { $0 += bytes }
                return bytes.count
            }
        } _: { fixture in
            try fixture.peer.startTLS(options)
            try fixture.peer.send("hello")
            #expect(try fixture.peer.receive(exactly: 5) == Array("hello".utf8))
            return try #require(fixture.peer.tls)
        }
    }

    @Test("is refused by versions before 1.2", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldVersions(version: Int32) async throws {
        await #expect(throws: TestFailure.self) {
            try await Self.shake(nil, .init { $0.versions = version...version })
        }
    }

    @Test("takes 1.3 if the client knows it, and 1.2 otherwise")
    func versions() async throws {
        let options = TLSClient.Options { $0.versions = TLS1_2_VERSION...TLS1_2_VERSION }
        #expect(try await Self.shake(nil, options).version == "TLSv1.2")
        #expect(try await Self.shake().version == "TLSv1.3")
    }

    @Test(
        "is refused where only weak ciphers are offered",
        arguments: [
            "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "AES128-GCM-SHA256",
            "DHE-RSA-AES128-GCM-SHA256", "ADH-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-CCM",
        ])
    func ciphers(cipher: String) async throws {
        await #expect(throws: TestFailure.self) {
            try await Self.shake(
                nil,
                .init {
                    $0.versions = TLS1_2_VERSION...TLS1_2_VERSION
                    $0.ciphers = "\(cipher):@SECLEVEL=0"
                })
        }
    }

    @Test("is not done a second time on a connection")
    func renegotiation() async throws {
        let options = TLSClient.Options { $0.versions = TLS1_2_VERSION...TLS1_2_VERSION }
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            try fixture.peer.startTLS(options)
            #expect(throws: TestFailure.self) { try fixture.peer.tls?.renegotiate() }
        }
    }

    @Test("chooses http/1.1 by ALPN, and fails if the client knows only others")
    func alpn() async throws {
        let both = TLSClient.Options { $0.protocols = ["h2", "http/1.1"] }
        #expect(try await Self.shake(nil, both).chosenProtocol == "http/1.1")
        #expect(try await Self.shake().chosenProtocol == nil)
        await #expect(throws: TestFailure.self) {
            try await Self.shake(nil, .init { $0.protocols = ["h2", "http/1.10"] })
        }
    }

    @Test(
        "resumes a session, also after the certificate has changed",
        arguments: [
            TLS1_2_VERSION, TLS1_3_VERSION,
        ])
    func resumption(version: Int32) async throws {
        let server = try StreamFixture.tlsServer()
        var options = TLSClient.Options { $0.versions = version...version }
        let first = try await Self.shake(server, options)
        #expect(!first.wasResumed)
        options.session = first.session
        #expect(try await Self.shake(server, options).wasResumed)
        server.use([try Certificates.make("other.example")])
        #expect(try await Self.shake(server, options).wasResumed)
        // Another process has other keys.
        #expect(try await !Self.shake(StreamFixture.tlsServer(), options).wasResumed)
    }

    @Test("shows the certificate for the name that the client asks for, or the first")
    func names() async throws {
        let server = try TLSServer([
            Certificates.make("a.example"), Certificates.make("b.example"),
            Certificates.make("*.c.example"),
        ])
        for (name, shown) in [
            (nil, "a.example"), ("a.example", "a.example"), ("B.example", "b.example"),
            ("x.c.example", "*.c.example"), ("x.y.c.example", "a.example"),
            ("unknown", "a.example"),
        ] {
            let client = try await Self.shake(server, .init { $0.name = name })
            #expect(client.certificateName == shown, "\(name ?? "none")")
        }
    }

    @Test("shows a certificate with a key that the client knows, if there are several for a name")
    func keyTypes() async throws {
        let server = try TLSServer([
            Certificates.make("a.example"), Certificates.make("a.example", key: ["rsa:2048"]),
        ])
        for (cipher, type) in [
            ("ECDHE-RSA-AES128-GCM-SHA256", EVP_PKEY_RSA),
            ("ECDHE-ECDSA-AES128-GCM-SHA256", EVP_PKEY_EC),
        ] {
            let client = try await Self.shake(
                server,
                .init {
                    $0.name = "a.example"
                    $0.versions = TLS1_2_VERSION...TLS1_2_VERSION
                    $0.ciphers = cipher
                })
            #expect(client.keyType == type)
        }
    }

    @Test("uses new certificates from the next connection on, and keeps the others going")
    func change() async throws {
        let server = try TLSServer([Certificates.make("old.example")])
        try await StreamFixture.run(.tcp, tls: server) { fixture in
            try fixture.peer.startTLS()
            server.use([try Certificates.make("new.example")])
            try fixture.peer.send("still here")
            try await eventually { fixture.recorder.text == "still here" }
            #expect(fixture.peer.tls?.certificateName == "old.example")
        }
        #expect(try await Self.shake(server).certificateName == "new.example")
    }

    // MARK: Broken ones

    @Test(
        "that begins in clear text is told, and the stream goes on in clear text",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "PATCH /x", "X"])
    func clearText(text: String) async throws {
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            // What waits for the handshake is sent without one.
            try await fixture.with { $0.write { $0 += "speak ".utf8 } }
            try fixture.peer.send(text)
            try await eventually {
                fixture.recorder.events.elements == ["in clear text", "drained"]
            }
            try await fixture.with { stream in
                stream.write { $0 += "TLS\n".utf8 }
                stream.finishWriting()
            }
            #expect(try fixture.peer.receiveToEnd() == Array("speak TLS\n".utf8))
            try fixture.peer.send("more")
            try await eventually { fixture.recorder.text == "more" }
        }
    }

    @Test("that is no handshake fails")
    func garbage() async throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<50 {
            var bytes = (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Every other one looks like a handshake for a moment.
            if round % 2 == 0 { bytes.replaceSubrange(0..<6, with: [22, 3, 1, 0, 200, 1]) }
            if (0x41...0x5A).contains(bytes[0]) { bytes[0] = 0 }
            try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
                try fixture.peer.send(bytes)
                fixture.peer.finishSending()
                try await eventually { fixture.recorder.events.elements == ["failed: SSL_read"] }
                #expect(fixture.recorder.received.isEmpty)
            }
        }
    }

    @Test("that is larger than any real one fails before it has come")
    func tooLarge() async throws {
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            // Most of a hello that claims to have 120,000 bytes, in records of 16,000.
            var hello: [UInt8] = [1, 1, 0xD4, 0xC0] + [UInt8](repeating: 0, count: 80_000)
            hello.replaceSubrange(4..<6, with: [3, 3])
            while !hello.isEmpty {
                let part = hello.prefix(16_000)
                hello.removeFirst(part.count)
                let count = [UInt8(part.count >> 8), UInt8(part.count & 255)]
                // Fails once the server has had enough.
                try? fixture.peer.send([22, 3, 1] + count + part)
            }
            try await eventually { fixture.recorder.events.elements == ["failed: SSL_read"] }
        }
    }

    @Test("that is cut off in the middle fails, and one that comes in single bytes is done")
    func slow() async throws {
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            try fixture.peer.send([22, 3, 1, 0, 200, 1, 0])
            for _ in 0..<5 { try await onLoop(fixture.loop) {} }
            #expect(fixture.recorder.events.count == 0)
            fixture.peer.finishSending()
            try await eventually { fixture.recorder.events.elements == ["failed: SSL_read"] }
        }
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            try fixture.peer.startTLS(.init { $0.trickles = true })
            try fixture.peer.send("hello")
            try await eventually { fixture.recorder.text == "hello" }
        }
    }
}

@Suite("A certificate", .blocking)
struct TLSCertificateTests {
    private static let shared = TestCertificate.shared

    private static func error(_ chain: [UInt8], _ key: [UInt8]) -> TLSError? {
        #expect(throws: TLSError.self) { _ = try TLSCertificate(chain: chain, key: key) }
    }

    @Test("knows when it expires")
    func expiry() throws {
        let certificate = try TLSCertificate(chain: Self.shared.certificate, key: Self.shared.key)
        let days = (Double(certificate.expiry) - Date().timeIntervalSince1970) / 86_400
        #expect((29.5...30.5).contains(days))
    }

    @Test("without PEM, cut off, or with a damaged chain is refused")
    func badCertificate() throws {
        let pem = try Self.shared.certificate
        let key = try Self.shared.key
        for bad in [[], Array("hello".utf8), Array(pem.dropLast(60)), key, pem + pem.dropLast(60)] {
            guard case .badCertificate = Self.error(bad, key) else {
                Issue.record("\(String(decoding: bad, as: UTF8.self))")
                continue
            }
        }
    }

    @Test("is refused with a key that is missing, damaged, encrypted or another's")
    func badKey() throws {
        let pem = try Self.shared.certificate
        let key = try Self.shared.key
        let other = try TestCertificate(
            for: ["x"], in: Certificates.folder, named: "x-\(UUID().uuidString)")
        #expect(Self.error(pem, try other.key) == .mismatch)
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhJ
            -----END ENCRYPTED PRIVATE KEY-----
            """
        for bad in [[], Array(key.dropLast(40)), pem, Array(encrypted.utf8)] {
            guard case .badKey = Self.error(pem, bad) else {
                Issue.record("\(String(decoding: bad, as: UTF8.self))")
                continue
            }
        }
    }

    @Test("with a weak key is refused")
    func weak() throws {
        let weak = try TestCertificate(
            for: ["weak"], in: Certificates.folder, named: "weak-\(UUID().uuidString)",
            key: ["rsa:1024"])
        guard case .refused = Self.error(try weak.certificate, try weak.key) else {
            Issue.record("1024 bits were taken")
            return
        }
    }
}

enum Certificates {
    static let folder = FileManager.default.temporaryDirectory.path

    /// A new certificate for a name.
    static func make(
        _ name: String, key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ) throws -> TLSCertificate {
        let made = try TestCertificate(
            for: [name], in: folder, named: "fave-test-\(UUID().uuidString)", key: key)
        defer {
            unlink(made.certificatePath)
            unlink(made.keyPath)
        }
        return try TLSCertificate(chain: made.certificate, key: made.key)
    }
}
