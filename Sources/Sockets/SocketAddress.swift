import CLinux
import Glibc

/// The address that a listener is bound to: an IP address and port, or a path.
public struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage: sockaddr_storage
    private let length: socklen_t

    private init(storage: sockaddr_storage, length: socklen_t) {
        self.storage = storage
        self.length = length
    }

    /// Looks up a host. Blocks until the resolver has responded, so this is for start-up, not for a
    /// loop.
    ///
    /// - Parameter host: An IPv4 or IPv6 literal (without brackets) or a name.
    /// - Returns: At least one address, in the resolver's order of preference.
    public static func resolve(host: String, port: Int) throws(AddressError) -> [SocketAddress] {
        guard (0...65_535).contains(port) else { throw .portOutOfRange(port) }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw .unknownHost(host, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            var storage = sockaddr_storage()
            if let address = info.ai_addr {
                withUnsafeMutableBytes(of: &storage) { storage in
                    storage.copyMemory(
                        from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
                }
                addresses.append(SocketAddress(storage: storage, length: info.ai_addrlen))
            }
            next = info.ai_next
        }
        return addresses
    }

    /// The address of a unix-domain socket; see unix(7).
    ///
    /// - Parameter path: 1 to 107 bytes. `sockaddr_un` has room for these and a final NUL.
    public static func unix(path: String) throws(AddressError) -> SocketAddress {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= 107, !bytes.contains(0) else {
            throw .badPath(path)
        }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { storage in
            storage.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
            storage.baseAddress?.advanced(by: 2).copyMemory(from: bytes, byteCount: bytes.count)
        }
        return SocketAddress(storage: storage, length: socklen_t(2 + bytes.count + 1))
    }

    /// The local address of a socket.
    static func local(of descriptor: Int32) -> SocketAddress? {
        read { getsockname(descriptor, $0, $1) }
    }

    /// The client at an address that the kernel reported; `nil` if we do not listen on its address
    /// family.
    static func client(_ storage: sockaddr_storage) -> ClientAddress? {
        withUnsafeBytes(of: storage) { bytes in
            Int32(storage.ss_family) == AF_UNIX
                ? .local : IPAddress(socketAddress: bytes).map { .internet($0) }
        }
    }

    private static func read(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        return status == 0 ? SocketAddress(storage: storage, length: length) : nil
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withUnsafeAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The path of a unix-domain socket, `nil` for other families and for unnamed sockets.
    public var path: String? {
        guard family == AF_UNIX, length > 2 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            String(decoding: bytes[2..<Int(length)].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The port, `nil` for a unix-domain socket.
    public var port: Int? {
        withUnsafeBytes(of: storage) { bytes in
            switch family {
            case AF_INET, AF_INET6:
                // sin_port and sin6_port have the same offset.
                Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
            default: nil
            }
        }
    }

    /// The numeric address without the port, or the path of a unix-domain socket.
    public var host: String {
        if family == AF_UNIX { return path ?? "" }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withUnsafeAddress { address, length in
            getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard status == 0 else { return "?" }
        return String(untilNUL: text)
    }

    public var description: String {
        switch family {
        case AF_INET: "\(host):\(port ?? 0)"
        case AF_INET6: "[\(host)]:\(port ?? 0)"
        default: "unix:\(path ?? "")"
        }
    }
}

/// Why a text is not an address to listen on.
public enum AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownHost(String, reason: String)
    case portOutOfRange(Int)
    case badPath(String)

    public var description: String {
        switch self {
        case .unknownHost(let host, let reason): "The host \"\(host)\" is not known: \(reason)."
        case .portOutOfRange(let port): "\(port) is not a port: ports are from 0 to 65535."
        case .badPath(let path):
            "\"\(path)\" cannot be the path of a socket: it must have 1 to 107 bytes."
        }
    }
}
