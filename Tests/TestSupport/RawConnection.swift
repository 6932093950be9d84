import Foundation
import Glibc

/// A client that sends exactly the bytes it is told to, and blocks until there is a response.
public final class RawConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// Where bytes go through TLS.
    public private(set) var tls: TLSClient?

    /// - Parameter timeout: For each wait, in seconds: a test must fail rather than hang.
    public init(port: Int, timeout: Int = 60) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = Self.withLoopback(port) { connect(descriptor, $0, $1) }
        try finishInit(status, timeout)
    }

    /// Whether nobody can begin to connect: at once, or because the server does not react.
    public static func isRefused(port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(descriptor) }
        // A kernel that listens responds for its process.
        var limit = timeval(tv_sec: 0, tv_usec: 100_000)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return withLoopback(port) { connect(descriptor, $0, $1) } != 0
    }

    private static func withLoopback(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    public init(path: String, timeout: Int = 60) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try finishInit(status, timeout)
    }

    private func finishInit(_ status: Int32, _ timeout: Int) throws {
        guard status == 0 else { throw TestFailure("connect: \(errno)") }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(descriptor) }

    /// Does a TLS handshake; what follows goes through TLS.
    public func startTLS(_ options: TLSClient.Options = .init()) throws {
        tls = try TLSClient(descriptor, options)
    }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        if let tls { return try tls.send(bytes) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure("send: \(errno)") }
            sent += count
        }
    }

    /// Sends as much in the clear as the kernel takes at once.
    ///
    /// - Returns: How many bytes.
    public func sendAvailable(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(
                descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        guard count >= 0 || errno == EAGAIN else { throw TestFailure("send: \(errno)") }
        return max(0, count)
    }

    /// Tells the server that nothing more comes.
    public func finishSending() {
        tls?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Lets the server see a reset instead of an end when the connection is closed.
    public func resetWhenClosed() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Makes the kernel keep little for us, so that the server feels that we do not read.
    public func shrinkReceiveBuffer(to size: Int32 = 4096) {
        var size = size
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }

    /// - Returns: `nil` at the end of the stream.
    private func readSome() throws -> [UInt8]? {
        if let tls {
            let bytes = try tls.receive()
            return bytes.isEmpty ? nil : bytes
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { throw TestFailure("recv: \(String(cString: strerror(errno)))") }
        return count == 0 ? nil : Array(buffer[..<count])
    }

    /// Whether there is something to read, now.
    public var hasInput: Bool {
        guard received.isEmpty else { return true }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }

    /// Everything until the server closes.
    public func readToEnd() throws -> String {
        while let bytes = try readSome() { received += bytes }
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// What comes before a byte, which is taken, too.
    func read(upTo separator: UInt8) throws -> String {
        var end = received.firstIndex(of: separator)
        while end == nil {
            guard let bytes = try readSome() else { throw TestFailure("closed too early") }
            end = bytes.firstIndex(of: separator).map { received.count + $0 }
            received += bytes
        }
        defer { received.removeFirst((end ?? 0) + 1) }
        return String(decoding: received[..<(end ?? 0)], as: UTF8.self)
    }

    func read(count: Int) throws -> [UInt8] {
        while received.count < count {
            guard let bytes = try readSome() else { throw TestFailure("closed too early") }
            received += bytes
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Whether the server has closed, with nothing more to read. Waits for either.
    public func isClosedByServer() throws -> Bool {
        guard received.isEmpty else { return false }
        guard let bytes = try readSome() else { return true }
        received += bytes
        return false
    }

    /// Reads one response; interim ones (1xx) count.
    public func readResponse(isHEAD: Bool = false) throws -> RawResponse {
        let separator = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstRange(of: separator) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                var response = try RawResponse(head: head)
                let length =
                    isHEAD || response.status < 200 || response.status == 304
                    ? 0 : Int(response["content-length"] ?? "0") ?? 0
                while received.count < end.upperBound + length {
                    guard let bytes = try readSome() else {
                        throw TestFailure("the body was cut off: \(head)")
                    }
                    received += bytes
                }
                response.bytes = Array(received[end.upperBound..<end.upperBound + length])
                received.removeFirst(end.upperBound + length)
                return response
            }
            guard let bytes = try readSome() else {
                throw TestFailure(
                    "closed without a response: \(String(decoding: received, as: UTF8.self))")
            }
            received += bytes
        }
    }
}

/// A response as it came.
public struct RawResponse: Sendable {
    public let status: Int
    public let fields: [(name: String, value: String)]
    public var bytes: [UInt8] = []

    init(head: String) throws {
        var lines = head.components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard statusLine.count >= 2, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1])
        else { throw TestFailure("no status line: \(head)") }
        self.status = status
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
    }

    /// The first field of a name, in any case.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The body as JSON: dictionaries, arrays, strings, numbers.
    public var json: Any {
        get throws {
            try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        }
    }

    /// The body as a JSON object.
    public var object: [String: Any] {
        get throws {
            guard let object = try json as? [String: Any] else {
                throw TestFailure("no JSON object: \(text)")
            }
            return object
        }
    }
}
