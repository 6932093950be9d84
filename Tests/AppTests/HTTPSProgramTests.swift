import Foundation
import TestSupport
import Testing

@testable import App

@Suite("fave-server with TLS", .blocking)
struct HTTPSProgramTests {
    private static func settings(_ files: TestCertificate) -> [String: String] {
        [
            "TLS_CERTIFICATE_FILE": files.certificatePath, "TLS_KEY_FILE": files.keyPath,
            "PORT": "0",
        ]
    }

    @Test("serves HTTPS, and takes a new certificate without a restart")
    func serves() async throws {
        try await TemporaryFolder.with { folder in
            let files = try TestCertificate(for: ["old.example"], in: folder.path, named: "live")
            let log = Recorder<String>()
            try await TestServer.run(settings: Self.settings(files), log: log) { server in
                let persistent = try RawConnection(port: server.port)
                try persistent.startTLS()
                try persistent.send("GET /api/v1/platforms/48 HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try persistent.readResponse()
                #expect(response.status == 200)
                #expect(response["strict-transport-security"] == "max-age=31536000")

                #expect(try server.send("GET", "/").status == 400)

                let next = try TestCertificate(
                    for: ["new.example"], in: folder.path, named: "next")
                #expect(rename(next.keyPath, files.keyPath) == 0)
                #expect(rename(next.certificatePath, files.certificatePath) == 0)
                try await eventually("the new certificate") {
                    let connection = try RawConnection(port: server.port)
                    try connection.startTLS()
                    return connection.tls?.certificateName == "new.example"
                }
                try persistent.send("GET /api/v1/platforms/48 HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try persistent.readResponse().status == 200)
                #expect(persistent.tls?.certificateName == "old.example")
            }
        }
    }

    @Test("is reached by its own address, which is https")
    func publicURL() async throws {
        let files = TestCertificate.shared
        let database = try TestDatabase(.migrated)
        let server = try Program.server.start(
            database: database, environment: Self.settings(files).merging(["LOOPS": "1"]) { $1 })
        let ports = try await server.waitForErrors(
            /listening on 127\.0\.0\.1:(\d+), as https:\/\/127\.0\.0\.1:0/)
        let connection = try RawConnection(port: try #require(Int(ports.1)))
        try connection.startTLS(.init { $0.protocols = ["http/1.1"] })
        #expect(connection.tls?.chosenProtocol == "http/1.1")
        server.send(signal: SIGTERM)
        #expect(try await server.end().status == 0)
        #expect(try connection.isClosedByServer())
        withExtendedLifetime(database) {}
    }

    @Test("listens on the sockets that it is handed, and not on HOST")
    func inherited() async throws {
        let database = try TestDatabase(.migrated)
        // An address that is not the default.
        let server = try Program.server.startWithSocket(
            on: "127.0.0.2", database: database,
            environment: Self.settings(TestCertificate.shared).merging([
                "LOOPS": "1", "PUBLIC_URL": "https://fave.example",
            ]) { $1 })
        _ = try await server.waitForErrors(/listening on 127\.0\.0\.2:\d+, as/)
        server.send(signal: SIGTERM)
        #expect(try await server.end().status == 0)
    }

    @Test("refuses certificates that it can't use, and says which file is wrong")
    func badFiles() async throws {
        try await TemporaryFolder.with { folder in
            let files = try TestCertificate(for: ["a"], in: folder.path, named: "a")
            let other = try TestCertificate(for: ["b"], in: folder.path, named: "b")
            for (certificate, key, words) in [
                ("/nowhere", files.keyPath, ["TLS_CERTIFICATE_FILE: /nowhere", "No such file"]),
                (files.certificatePath, "/nowhere", ["TLS_KEY_FILE: /nowhere", "No such file"]),
                (files.certificatePath, other.keyPath, ["TLS_CERTIFICATE_FILE", "not belong"]),
                (files.keyPath, files.keyPath, ["TLS_CERTIFICATE_FILE", "no usable certificate"]),
                (files.certificatePath, folder.path, ["TLS_KEY_FILE", "not a regular file"]),
                (
                    files.certificatePath, files.certificatePath,
                    ["TLS_KEY_FILE", "no unencrypted private key"]
                ),
            ] {
                let outcome = try await Program.server.run(environment: [
                    "PORT": "0", "TLS_CERTIFICATE_FILE": certificate, "TLS_KEY_FILE": key,
                ])
                #expect(outcome.status != 0)
                for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
            }
        }
    }
}
