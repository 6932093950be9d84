import Glibc
import Synchronization
import TestSupport

@testable import Sockets

/// The other end of a connection. It blocks, for at most a minute at a time.
final class Peer: Sendable {
    private let descriptor: Int32
    private let isOpen = Mutex(true)
    private let client = Mutex<TLSClient?>(nil)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    convenience init(connectingTo address: SocketAddress) throws {
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard address.withUnsafeAddress({ connect(descriptor, $0, $1) }) == 0 else {
            let error = SystemError(call: "connect")
            Glibc.close(descriptor)
            throw error
        }
        self.init(descriptor)
    }

    /// Two connected unix-domain sockets: a peer and a descriptor that does not block.
    static func pair() throws -> (peer: Peer, descriptor: Int32) {
        var descriptors: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
            throw SystemError(call: "socketpair")
        }
        _ = fcntl(descriptors[1], F_SETFL, O_NONBLOCK)
        return (Peer(descriptors[0]), descriptors[1])
    }

    deinit { close() }

    /// Does a TLS handshake; what follows goes through TLS.
    func startTLS(_ options: TLSClient.Options = .init()) throws {
        let client = try TLSClient(descriptor, options)
        self.client.withLock { $0 = client }
    }

    var tls: TLSClient? { client.withLock { $0 } }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        if let tls { return try tls.send(bytes) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemError(call: "send") }
            sent += count
        }
    }

    /// Sends zeros until the kernel takes no more at once.
    ///
    /// - Returns: How many.
    func sendUntilRefused() -> Int {
        let bytes = [UInt8](repeating: 0, count: 65_536)
        var total = 0
        while true {
            let count = Glibc.send(
                descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            guard count > 0 else { return total }
            total += count
        }
    }

    /// - Returns: Nothing at the end.
    func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        if let tls { return try tls.receive(atMost: limit) }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        guard count >= 0 else { throw SystemError(call: "recv") }
        return Array(buffer[..<count])
    }

    func receive(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let some = try receive(atMost: min(65_536, count - bytes.count))
            guard !some.isEmpty else { throw TestFailure("ended after \(bytes.count) bytes") }
            bytes += some
        }
        return bytes
    }

    func receiveToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let some = try receive()
            if some.isEmpty { return bytes }
            bytes += some
        }
    }

    func finishSending() {
        tls?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes so that the other end gets a reset instead of an end. TCP only.
    func reset() {
        var option = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Glibc.close(descriptor) }
    }
}
