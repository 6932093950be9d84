import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("Listening", .blocking)
struct ListenerTests {
    @Test("takes connections on IPv4 and IPv6", arguments: ["127.0.0.1", "::1"])
    func addresses(host: String) async throws {
        guard let socket = try listen(host) else { return }
        #expect(socket.address.host == host)
        #expect((socket.address.port ?? 0) > 0)
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
            let peers = try (0..<40).map { _ in try Peer(connectingTo: socket.address) }
            try await eventually { accepted.count == 40 }
            #expect(Set(clients.elements.map { "\($0?.description ?? "")" }) == [host])
            let flags = fcntl(accepted.elements[0], F_GETFL)
            #expect(flags & O_NONBLOCK != 0)
            try await onLoop(loop) { listener.value?.close() }
            for descriptor in accepted.elements { close(descriptor) }
            for peer in peers { peer.close() }
        }
    }

    @Test("knows where a client came from that has gone before it was accepted")
    func goneClient() async throws {
        guard let socket = try listen("127.0.0.1") else { return }
        // Its request and its reset are there before anybody accepts it.
        let peer = try Peer(connectingTo: socket.address)
        try peer.send("GET")
        peer.reset()
        try await withLoop { loop in
            let clients = Recorder<ClientAddress?>()
            let listener = OnLoop<Listener?>(nil)
            try await onLoop(loop) {
                listener.value = try Listener(socket, on: loop) { clients.record($0.client) }
            }
            try await eventually { clients.count == 1 }
            #expect(clients.elements[0] == IPAddress("127.0.0.1").map { .internet($0) })
            try await onLoop(loop) { listener.value?.close() }
        }
    }

    @Test("is inherited with what waits in it, and others' sockets are not")
    func inherited() async throws {
        guard let original = try listen("127.0.0.1") else { return }
        let peer = try Peer(connectingTo: original.address)
        let inherited = try ListeningSocket(inherited: dup(original.descriptor.number))
        #expect(inherited.address.port == original.address.port)
        #expect(inherited.isShared)
        try await withLoop { loop in
            let accepted = Recorder<Int32>()
            let listener = OnLoop<Listener?>(nil)
            try await onLoop(loop) {
                listener.value = try Listener(inherited, on: loop) { accepted.record($0.take()) }
            }
            try await eventually { accepted.count == 1 }
            try await onLoop(loop) { listener.value?.close() }
        }
        peer.close()
        let pair = try Peer.pair()
        #expect(throws: SystemError.self) { try ListeningSocket(inherited: pair.descriptor) }
        #expect(throws: SystemError.self) { try ListeningSocket(inherited: 9999) }
        close(pair.descriptor)
    }

    @Test("is refused where someone listens already")
    func portTaken() throws {
        let first = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
            try ListeningSocket(first.address)
        }
        let error = SystemError(call: "bind", code: EADDRINUSE)
        #expect(error.description == "bind: Address already in use")
    }

    @Test("can begin again at once on a port that was served a moment ago")
    func portAgain() async throws {
        // Somebody else may be given the port in between, but hardly every time.
        for _ in 0..<10 {
            let (address, socket) = try await servedOnce()
            try await eventually("the end of the socket") { socket.value == nil }
            if (try? ListeningSocket(address)) != nil { return }
        }
        Issue.record("the port stays taken")
    }

    /// - Returns: The address of a server that has served one client, and its socket.
    private func servedOnce() async throws -> (SocketAddress, WeakBox<ListeningSocket>) {
        try await withLoop { loop in
            let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
            let accepted = Recorder<Int32>()
            try await onLoop(loop) {
                let listener = OnLoop<Listener?>(nil)
                listener.value = try Listener(socket, on: loop) {
                    accepted.record($0.take())
                    listener.value?.close()
                    listener.value = nil
                }
            }
            let peer = try Peer(connectingTo: socket.address)
            try await eventually { accepted.count == 1 }
            // The server closes first, so its side waits in TIME_WAIT.
            close(accepted.elements[0])
            #expect(try peer.receive() == [])
            return (socket.address, WeakBox(socket))
        }
    }

    @Test("by several loops on one socket serves every client once")
    func severalLoops() async throws {
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        let accepted = Recorder<(loop: Int, descriptor: Int32)>()
        let loops = try (0..<3).map { try EventLoop(name: "\($0)") }
        defer { for loop in loops { loop.stop() } }
        let listeners = OnLoop<[Listener?]>([nil, nil, nil])
        for (index, loop) in loops.enumerated() {
            try await onLoop(loop) {
                listeners.value[index] = try Listener(socket, on: loop) {
                    accepted.record((index, $0.take()))
                }
            }
        }
        var peers = try (0..<100).map { _ in try Peer(connectingTo: socket.address) }
        try await eventually { accepted.count == 100 }
        #expect(Set(accepted.elements.map(\.descriptor)).count == 100)
        // One loop stops listening; the others get its clients.
        try await onLoop(loops[0]) { listeners.value[0]?.close() }
        peers += try (0..<50).map { _ in try Peer(connectingTo: socket.address) }
        try await eventually { accepted.count == 150 }
        #expect(accepted.elements[100...].allSatisfy { $0.loop != 0 })
        for index in 1..<3 {
            try await onLoop(loops[index]) { listeners.value[index]?.close() }
        }
        for element in accepted.elements { close(element.descriptor) }
        for peer in peers { peer.close() }
    }

    @Test("that is closed by its own callback accepts no more")
    func closeInside() async throws {
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        let peers = try (0..<5).map { _ in try Peer(connectingTo: socket.address) }
        try await withLoop { loop in
            let accepted = Recorder<Int>()
            try await onLoop(loop) {
                let listener = OnLoop<Listener?>(nil)
                listener.value = try Listener(socket, on: loop) { _ in
                    accepted.record(1)
                    listener.value?.close()
                    listener.value?.close()
                    listener.value = nil
                }
            }
            try await eventually { accepted.count == 1 }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(accepted.count == 1)
        }
        // What is accepted and taken by nobody is closed.
        #expect(try peers[0].receive() == [])
    }

    private func listen(_ host: String) throws -> ListeningSocket? {
        do {
            return try ListeningSocket(SocketAddress.resolve(host: host, port: 0)[0])
        } catch let error as SystemError
            where error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT
        {
            return nil
        } catch is AddressError where host == "::1" {
            return nil
        }
    }
}

@Suite("Listening without descriptors left", .blocking)
struct ExhaustedListenerTests {
    @Test("goes on when there are some again")
    func recovers() async {
        await #expect(processExitsWith: .success) {
            let exhaustion = try await Exhaustion()
            let recovered = try await exhaustion.recovers()
            exit(recovered ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("can be closed meanwhile, and stays closed")
    func closed() async {
        await #expect(processExitsWith: .success) {
            let exhaustion = try await Exhaustion()
            let staysClosed = try await exhaustion.staysClosed()
            exit(staysClosed ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}

/// A process that may open nothing while a client waits to be accepted.
private struct Exhaustion: Sendable {
    let loop: EventLoop
    let peer: Peer
    let accepted = Recorder<Int32>()
    private let clock = TestClock()
    private let listener = OnLoop<Listener?>(nil)

    init() async throws {
        loop = try EventLoop(clock)
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        try await onLoop(loop) { [loop, accepted, listener] in
            listener.value = try Listener(socket, on: loop) { accepted.record($0.take()) }
        }
        let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Not by opening many: other threads may close some.
        try Self.allowDescriptors(below: 0)
        let status = socket.address.withUnsafeAddress { connect(client, $0, $1) }
        guard status == 0 else { throw SystemError(call: "connect") }
        peer = Peer(client)
        // The connection waits to be accepted: the next turn that begins tries in vain.
        for _ in 0..<2 { await loop.turn() }
        guard accepted.count == 0 else { throw TestFailure("there was a descriptor left") }
    }

    private static func allowDescriptors(below count: rlim_t) throws {
        var limit = rlimit(rlim_cur: count, rlim_max: 100)
        let status = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard status == 0 else { throw SystemError(call: "setrlimit") }
    }

    /// Whether the connection is accepted when the listener tries again, and not before.
    func recovers() async throws -> Bool {
        try Self.allowDescriptors(below: 100)
        await clock.advance(by: .milliseconds(99), on: loop)
        guard accepted.count == 0 else { return false }
        await clock.advance(by: .milliseconds(1), on: loop)
        try await eventually { accepted.count == 1 }
        return true
    }

    func staysClosed() async throws -> Bool {
        try await onLoop(loop) { [listener] in listener.value?.close() }
        try Self.allowDescriptors(below: 100)
        await clock.advance(by: .seconds(60), on: loop)
        return accepted.count == 0
    }
}
