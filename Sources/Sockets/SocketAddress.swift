import CLinux
import Glibc

/// The address that a listener is bound to: an IP address and port, or a path.
public struct SocketAddress: Sendable, CustomStringConvertible {
    let family: Int32
    /// The `sockaddr` of this family, as system calls read it.
    private let bytes: [UInt8]

    /// Looks up a host. Blocks until the resolver has responded, so this is for start-up, not for a
    /// loop.
    ///
    /// - Parameter host: An IPv4 or IPv6 literal (without brackets) or a name.
    /// - Returns: At least one address, in the resolver's order of preference.
    public static func resolve(host: String, port: Int) throws(AddressError) -> [SocketAddress] {
        guard (0...65_535).contains(port) else { throw .portOutOfRange(port) }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw .unknownHost(host, reason: unsafe String(cString: gai_strerror(status)))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let info = unsafe next?.pointee {
            // As long as the resolver says.
            let bytes = unsafe UnsafeRawBufferPointer(
                start: info.ai_addr, count: Int(info.ai_addrlen))
            unsafe addresses.append(SocketAddress(family: info.ai_family, bytes: Array(bytes)))
            unsafe next = info.ai_next
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
        let family = unsafe withUnsafeBytes(of: sa_family_t(AF_UNIX)) { unsafe Array($0) }
        return SocketAddress(family: AF_UNIX, bytes: family + bytes + [0])
    }

    /// The local address of a socket.
    static func local(of descriptor: borrowing Descriptor) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor.number, $0, &length)
            }
        }
        guard status == 0 else { return nil }
        let bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(length))) }
        return SocketAddress(family: Int32(storage.ss_family), bytes: bytes)
    }

    /// The client at an address that the kernel reported; `nil` if we do not listen on its address
    /// family.
    static func client(_ storage: sockaddr_storage) -> ClientAddress? {
        let family = Int32(storage.ss_family)
        guard family != AF_UNIX else { return .local }
        return unsafe withUnsafeBytes(of: storage) {
            IPAddress(family: family, socketAddress: unsafe Span(_unsafeBytes: $0))
        }.map { .internet($0) }
    }

    /// - Returns: Whether the socket is bound to the address; otherwise `errno` says why not.
    func bind(_ socket: borrowing Descriptor) -> Bool {
        let number = socket.number
        return unsafe withUnsafeAddress { unsafe Glibc.bind(number, $0, $1) } == 0
    }

    /// - Returns: Whether the socket is connected; otherwise `errno` says why not.
    func connect(_ socket: borrowing Descriptor) -> Bool {
        let number = socket.number
        return unsafe withUnsafeAddress { unsafe Glibc.connect(number, $0, $1) } == 0
    }

    func withUnsafeAddress<Result>(
        _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBytes {
            let address = unsafe $0.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe body(address, socklen_t($0.count))
        }
    }

    /// The path of a unix-domain socket, `nil` for other families and for unnamed sockets.
    public var path: String? {
        guard family == AF_UNIX, bytes.count > 2 else { return nil }
        return String(decoding: bytes[2...].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The port, `nil` for a unix-domain socket.
    public var port: Int? {
        switch family {
        // sin_port and sin6_port have the same offset.
        case AF_INET, AF_INET6: Int(bytes[2]) << 8 | Int(bytes[3])
        default: nil
        }
    }

    /// The numeric address without the port, or the path of a unix-domain socket.
    public var host: String {
        if family == AF_UNIX { return path ?? "" }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = unsafe withUnsafeAddress { address, length in
            unsafe getnameinfo(
                address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
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
