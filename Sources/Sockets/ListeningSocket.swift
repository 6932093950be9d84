import CLinux
import Glibc

/// A socket that accepts connections. Several loops can listen on it at once, each through a
/// `Listener` of its own.
///
/// One socket for all loops, rather than one for each with `SO_REUSEPORT`: a second server on the
/// same port is refused instead of taking half of the connections, connections are spread by load
/// rather than by a hash, and none is lost when a loop stops listening.
public final class ListeningSocket: Sendable {
    let descriptor: Int32
    public let address: SocketAddress

    /// Binds and listens.
    ///
    /// A unix-domain socket's file is made with mode 0660. A file that a dead process left behind
    /// is replaced; that of a living one is not (`EADDRINUSE`).
    ///
    /// - Parameter backlog: How many connections the kernel keeps until they are accepted; bounded
    ///   by `net.core.somaxconn`.
    public init(_ address: SocketAddress, backlog: Int32 = 1024) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket") }
        do throws(SystemError) {
            try Self.prepare(descriptor, address, backlog: backlog)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.address = SocketAddress.local(of: descriptor) ?? address
    }

    private static func prepare(
        _ descriptor: Int32, _ address: SocketAddress, backlog: Int32
    ) throws(SystemError) {
        if let path = address.path {
            removeStaleFile(path, address)
        } else {
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        }
        // An IPv6 address means that address: 0.0.0.0 is listened on by naming it.
        if address.family == AF_INET6 {
            try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        guard address.withUnsafeAddress({ bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError(call: "bind")
        }
        if let path = address.path, chmod(path, 0o660) != 0 {
            throw SystemError(call: "chmod")
        }
        guard listen(descriptor, backlog) == 0 else { throw SystemError(call: "listen") }
    }

    deinit {
        // In this order: once it is closed, a successor may bind the same path.
        if let path = address.path { unlink(path) }
        close(descriptor)
    }

    static func set(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(4)) == 0 else {
            throw SystemError(call: "setsockopt")
        }
    }

    /// A socket file outlives its process. Nobody listening shows as `ECONNREFUSED`.
    private static func removeStaleFile(_ path: String, _ address: SocketAddress) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return }
        defer { close(probe) }
        if address.withUnsafeAddress({ connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED {
            unlink(path)
        }
    }
}
