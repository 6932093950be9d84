import Foundation
import Logging
import Sockets
import TestSupport
import Testing

@testable import App

@Suite("The certificates' files", .blocking)
struct CertificateStoreTests {
    /// A store with one pair of files, in a folder of its own.
    private struct Fixture {
        var store: CertificateStore
        let folder: TemporaryFolder
        let files: CertificateFiles
        let log: Recorder<String>

        static func with(_ body: (inout Fixture) throws -> Void) async throws {
            try await TemporaryFolder.with { folder in
                let made = try TestCertificate(
                    for: ["first.example"], in: folder.path, named: "live")
                let files = CertificateFiles(
                    certificate: made.certificatePath, key: made.keyPath)
                let log = Recorder<String>()
                let logger = Logger(label: "test") { _ in RecordingLogHandler(lines: log) }
                var fixture = Fixture(
                    store: try CertificateStore([files], logger: logger), folder: folder,
                    files: files, log: log)
                try body(&fixture)
            }
        }

        /// Makes another certificate beside the live one.
        func makeNext(_ name: String) throws -> TestCertificate {
            try TestCertificate(for: [name], in: folder.path, named: "next")
        }

        func rename(_ from: String, _ to: String) throws {
            guard Foundation.rename(from, to) == 0 else { throw TestFailure("rename") }
        }

        var shown: String? { store.names.first }
    }

    @Test("that have not changed are not read again")
    func unchanged() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<3 { fixture.store.refresh() }
            #expect(fixture.log.count == 0)
            #expect(fixture.shown == "first.example")
        }
    }

    @Test("are used when others are renamed to them, and also when they are written to")
    func changed() async throws {
        try await Fixture.with { fixture in
            let next = try fixture.makeNext("second.example")
            try fixture.rename(next.keyPath, fixture.files.key)
            try fixture.rename(next.certificatePath, fixture.files.certificate)
            fixture.store.refresh()
            #expect(fixture.shown == "second.example")
            #expect(fixture.log.elements.map { $0.hasPrefix("notice:") } == [true])

            let third = try fixture.makeNext("third.example")
            for (from, to) in [
                (third.certificatePath, fixture.files.certificate),
                (third.keyPath, fixture.files.key),
            ] {
                let file = try #require(FileHandle(forWritingAtPath: to))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: from)))
                try file.close()
            }
            fixture.store.refresh()
            #expect(fixture.shown == "third.example")
        }
    }

    @Test("are used when a symbolic link leads elsewhere")
    func link() async throws {
        try await Fixture.with { fixture in
            let next = try fixture.makeNext("second.example")
            for (target, path) in [
                (next.certificatePath, fixture.files.certificate),
                (next.keyPath, fixture.files.key),
            ] {
                #expect(symlink(target, path + ".link") == 0)
                try fixture.rename(path + ".link", path)
            }
            fixture.store.refresh()
            #expect(fixture.shown == "second.example")
        }
    }

    @Test("that don't match leave the old ones in use, said once, until they do match")
    func mismatch() async throws {
        try await Fixture.with { fixture in
            let next = try fixture.makeNext("second.example")
            try fixture.rename(next.certificatePath, fixture.files.certificate)
            for _ in 0..<3 { fixture.store.refresh() }
            #expect(fixture.shown == "first.example")
            #expect(fixture.log.count == 1)
            let line = try #require(fixture.log.elements.first)
            #expect(line.hasPrefix("error:"))
            #expect(line.contains("private key does not belong"))
            #expect(line.contains(fixture.files.certificate))
            try fixture.rename(next.keyPath, fixture.files.key)
            fixture.store.refresh()
            #expect(fixture.shown == "second.example")
            #expect(fixture.log.count == 2)
        }
    }

    @Test("that are gone, or are no files, leave the old ones in use, said once")
    func gone() async throws {
        try await Fixture.with { fixture in
            try fixture.rename(fixture.files.key, fixture.files.key + ".away")
            for _ in 0..<3 { fixture.store.refresh() }
            #expect(fixture.log.count == 1)
            #expect(fixture.log.elements[0].contains("No such file"))
            #expect(mkfifo(fixture.files.key, 0o600) == 0)
            for _ in 0..<3 { fixture.store.refresh() }
            #expect(fixture.log.count == 2)
            #expect(fixture.log.elements[1].contains("not a regular file"))
            #expect(fixture.shown == "first.example")
            unlink(fixture.files.key)
            try fixture.rename(fixture.files.key + ".away", fixture.files.key)
            fixture.store.refresh()
            #expect(fixture.log.count == 3)
            // Secrets are never logged.
            let key = try String(contentsOfFile: fixture.files.key, encoding: .utf8)
            let secret = try #require(key.split(separator: "\n").dropFirst().first)
            #expect(!fixture.log.elements.joined().contains(secret))
        }
    }

    @Test("are kept pair by pair")
    func several() async throws {
        try await TemporaryFolder.with { folder in
            let made = try ["a", "b"].map {
                try TestCertificate(for: ["\($0).example"], in: folder.path, named: $0)
            }
            let log = Recorder<String>()
            var store = try CertificateStore(
                made.map { CertificateFiles(certificate: $0.certificatePath, key: $0.keyPath) },
                logger: Logger(label: "test") { _ in RecordingLogHandler(lines: log) })
            try folder.write("a.pem", Data("damaged".utf8))
            _ = try TestCertificate(for: ["new.example"], in: folder.path, named: "b")
            store.refresh()
            #expect(store.names == ["a.example", "new.example"])
            #expect(log.count == 2)
        }
    }

    @Test("that are too large are not read to their end")
    func large() async throws {
        try await Fixture.with { fixture in
            try fixture.folder.write("live.pem", Data(repeating: 10, count: 2 << 20))
            fixture.store.refresh()
            #expect(fixture.log.elements.first?.contains("more than") == true)
        }
    }
}
