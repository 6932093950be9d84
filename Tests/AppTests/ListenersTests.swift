import Foundation
import Glibc
import TestSupport
import Testing

@testable import App
@testable import Sockets

@Suite("Listening", .blocking)
struct ListenersTests {
    private static func complaint(_ environment: [String: String]) throws -> String? {
        let settings = try ServerSettings(SettingsReader(environment: environment))
        do {
            _ = try Listeners(settings, ServiceManager(environment: [:]))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("on a path where something is in the way says what that is, and leaves it there")
    func obstacles() async throws {
        try await TemporaryFolder.with { folder in
            func path(_ name: String) -> String { folder.path + "/" + name }
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path("file")))
            symlink("/nowhere/x", path("dangling"))
            symlink("file", path("link"))
            mkdir(path("folder"), 0o700)
            mkfifo(path("fifo"), 0o600)
            let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
            for (name, words) in [
                ("file", "a file that is not a socket is there"),
                ("dangling", "it is a symbolic link, to /nowhere/x"),
                ("link", "it is a symbolic link, to file"),
                ("folder", "it is a folder"),
                ("fifo", "something that is not a socket is there"),
                ("absent/x.sock", "there is no folder \(path("absent"))"),
                ("absent/", "the path ends with a /"),
                ("file/x.sock", "\(path("file")) is not a folder"),
                (String(repeating: "x", count: 108), "1 to 107 bytes"),
            ] {
                let host = "unix:" + path(name)
                let complaint = try #require(try Self.complaint(["HOST": host]), "\(name)")
                #expect(complaint.contains(words), "\(complaint)")
                #expect(!complaint.contains("another program"))
                let ofMonitors = try #require(
                    try Self.complaint(["PORT": "0", "ADMIN_LISTEN": host]), "\(name)")
                #expect(ofMonitors.contains(words), "\(ofMonitors)")
                #expect(complaint.hasSuffix("Change HOST."), "\(complaint)")
                #expect(ofMonitors.hasSuffix("Change ADMIN_LISTEN."), "\(ofMonitors)")
            }
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == before)
        }
    }

    @Test("where another program does so already names the setting that changes that")
    func taken() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.path + "/x.sock"
            let other = try ListeningSocket(SocketAddress.unix(path: path))
            let complaint = try #require(try Self.complaint(["HOST": "unix:\(path)"]))
            #expect(complaint.contains("another program listens there"), "\(complaint)")
            #expect(complaint.hasSuffix("change HOST."), "\(complaint)")
            let port = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
            let number = try #require(port.address.port)
            #expect(try Self.complaint(["PORT": "\(number)"])?.hasSuffix("change PORT.") == true)
            withExtendedLifetime((other, port)) {}
        }
        #expect(
            try Self.complaint(["HOST": "192.0.2.1", "PORT": "0"])?.hasSuffix("Change HOST.")
                == true)
    }
}

@Suite("The service manager", .blocking)
struct ServiceManagerTests {
    @Test("is not waited for if it doesn't read what it is told")
    func full() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.path + "/notify"
            let manager = socket(
                AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(manager) }
            let address = try SocketAddress.unix(path: path)
            #expect(address.withUnsafeAddress { bind(manager, $0, $1) } == 0)
            let sender = socket(
                AF_UNIX,
                Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            defer { close(sender) }
            #expect(address.withUnsafeAddress { connect(sender, $0, $1) } == 0)
            while send(sender, "x", 1, 0) == 1 {}
            #expect(errno == EAGAIN)
            ServiceManager(environment: ["NOTIFY_SOCKET": path]).notify("STOPPING=1")
        }
    }
}
