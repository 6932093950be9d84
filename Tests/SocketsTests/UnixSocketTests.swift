import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("A unix-domain socket", .blocking)
struct UnixSocketTests {
    private let path = "/tmp/fave-test-\(UUID().uuidString.prefix(8)).sock"

    @Test("is made with mode 0660, takes connections, and removes its file at the end")
    func lifetime() async throws {
        do {
            let socket = try ListeningSocket(SocketAddress.unix(path: path))
            #expect(socket.address.path == path)
            #expect(socket.address.port == nil)
            #expect(try mode() == 0o660)
            try await withLoop { loop in
                let accepted = Recorder<Int32>()
                let clients = Recorder<ClientAddress?>()
                let listener = OnLoop<Listener?>(nil)
                try await onLoop(loop) {
                    listener.value = try Listener(socket, on: loop) {
                        clients.record($0.client)
                        accepted.record($0.take())
                    }
                }
                let peer = try Peer(connectingTo: socket.address)
                try await eventually { accepted.count == 1 }
                let recorder = StreamRecorder()
                let stream = try await onLoop(loop) {
                    let stream = try ByteStream(
                        AcceptedSocket(descriptor: accepted.elements[0]), on: loop, inputLimit: 9)
                    stream.delegate = recorder
                    recorder.stream = stream
                    return OnLoop<ByteStream?>(stream)
                }
                try peer.send("hello")
                try await eventually { recorder.text == "hello" }
                #expect(clients.elements == [.local])
                try await onLoop(loop) {
                    stream.value?.close()
                    stream.value = nil
                    listener.value?.close()
                    listener.value = nil
                }
            }
        }
        try await eventually("the file's removal") { access(path, F_OK) != 0 }
    }

    @Test("replaces the file of a dead process")
    func stale() throws {
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketAddress.unix(path: path)
        #expect(address.withUnsafeAddress { bind(dead, $0, $1) } == 0)
        close(dead)
        #expect(access(path, F_OK) == 0)
        let socket = try ListeningSocket(address)
        _ = try Peer(connectingTo: socket.address)
    }

    @Test("leaves the file of a successor alone who has moved it there")
    func successor() throws {
        let moved = path + ".new"
        var old: ListeningSocket? = try ListeningSocket(SocketAddress.unix(path: path))
        let new = try ListeningSocket(SocketAddress.unix(path: moved))
        #expect(rename(moved, path) == 0)
        withExtendedLifetime(old) {}
        old = nil
        let peer = try Peer(connectingTo: SocketAddress.unix(path: path))
        withExtendedLifetime((new, peer)) {}
        unlink(path)
    }

    @Test("is not waited for at a path where another process accepts no clients")
    func busy() throws {
        let first = try ListeningSocket(SocketAddress.unix(path: path), backlog: 0)
        let waiting = try Peer(connectingTo: first.address)
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
            try ListeningSocket(first.address)
        }
        withExtendedLifetime((first, waiting)) {}
    }

    @Test("leaves the file of a living process alone")
    func live() throws {
        let first = try ListeningSocket(SocketAddress.unix(path: path))
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
            try ListeningSocket(first.address)
        }
        _ = try Peer(connectingTo: first.address)
        #expect(access(path, F_OK) == 0)
    }

    @Test("leaves other files alone")
    func otherFile() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
            try ListeningSocket(SocketAddress.unix(path: path))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test("in no folder is refused")
    func noFolder() throws {
        #expect(throws: SystemError(call: "bind", code: ENOENT)) {
            try ListeningSocket(SocketAddress.unix(path: "/tmp/fave-test-absent/x.sock"))
        }
    }

    private func mode() throws -> UInt32 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError(call: "lstat") }
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        return status.st_mode & 0o777
    }
}

@Suite("A socket address", .blocking)
struct SocketAddressTests {
    @Test(
        "is read from an IP address and a port, and shown as one",
        arguments: [
            ("127.0.0.1", 80, "127.0.0.1:80"), ("0.0.0.0", 0, "0.0.0.0:0"),
            ("::1", 65_535, "[::1]:65535"), ("::", 8080, "[::]:8080"),
        ])
    func literals(host: String, port: Int, description: String) throws {
        let address = try #require(try SocketAddress.resolve(host: host, port: port).first)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == nil)
        #expect(address.description == description)
    }

    @Test("has a port from 0 to 65535", arguments: [-1, 65_536, Int.max, Int.min])
    func badPorts(port: Int) {
        #expect(throws: AddressError.portOutOfRange(port)) {
            try SocketAddress.resolve(host: "127.0.0.1", port: port)
        }
    }

    @Test("needs a host that is known", arguments: ["not a host", "256.1.1.1.1", "[::1]"])
    func badHosts(host: String) {
        #expect {
            try SocketAddress.resolve(host: host, port: 80)
        } throws: { error in
            guard case AddressError.unknownHost(host, _) = error else { return false }
            return "\(error)".contains("\"\(host)\" is not known: ")
        }
    }

    @Test("is a path of 1 to 107 bytes")
    func paths() throws {
        let longest = "/tmp/" + String(repeating: "x", count: 102)
        #expect(try SocketAddress.unix(path: longest).path == longest)
        #expect(try SocketAddress.unix(path: "/tmp/a").description == "unix:/tmp/a")
        for bad in ["", longest + "x", "/tmp/a\0b"] {
            #expect(throws: AddressError.badPath(bad)) { try SocketAddress.unix(path: bad) }
        }
    }
}
