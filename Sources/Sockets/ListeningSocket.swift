import CLinux
import Glibc

/// A socket that accepts connections. Several loops can listen on it at once, each with its own
/// `Listener`.
///
/// The loops share one socket instead of each having its own with `SO_REUSEPORT`. A second server
/// on the same port is therefore refused instead of taking half of the connections. Connections are
/// spread by load rather than by a hash, and none is lost when a loop stops listening.
public final class ListeningSocket: Sendable {
    let descriptor: Int32
    public let address: SocketAddress
    /// Whether other processes hold this socket too, such as systemd, which passed it to this
    /// process.
    let isShared: Bool
    /// The file of a unix-domain socket that `init` has bound.
    private let file: FileIdentity?

    /// Binds and listens.
    ///
    /// The file of a unix-domain socket is created with mode 0660. A file left behind by a dead
    /// process is replaced. The file of a running process is not; the call then fails with
    /// `EADDRINUSE`.
    ///
    /// - Parameter backlog: How many connections the kernel queues until they are accepted, bounded
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
        isShared = false
        file = address.path.flatMap { FileIdentity(path: $0) }
    }

    /// Takes over a listening stream socket that the process has inherited.
    ///
    /// - Throws: `ENOTSOCK` if the descriptor is not a socket; `EINVAL` if it is not a listening
    ///   stream socket.
    public init(inherited descriptor: Int32) throws(SystemError) {
        guard try Self.get(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            try Self.get(descriptor, SO_ACCEPTCONN) == 1,
            let address = SocketAddress.local(of: descriptor)
        else { throw SystemError(call: "getsockopt", code: EINVAL) }
        let flags = fcntl(descriptor, F_GETFL)
        guard fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw SystemError(call: "fcntl") }
        if address.path == nil, address.family != AF_UNIX {
            try Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        self.descriptor = descriptor
        self.address = address
        isShared = true
        file = nil
    }

    private static func prepare(
        _ descriptor: Int32, _ address: SocketAddress, backlog: Int32
    ) throws(SystemError) {
        if let path = address.path {
            try removeStaleFile(path, address)
        } else {
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            // Responses are written whole, so waiting to fill a segment only delays them. On Linux,
            // accepted connections inherit the option.
            try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        // An IPv6 socket accepts no IPv4 connections: to listen on IPv4, name an IPv4 address too,
        // such as 0.0.0.0.
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
        // The file is removed first: once the socket is closed, a successor may bind the same path.
        // The file of a shared socket is left to the other processes, and so is that of a successor
        // who has moved it here.
        if let path = address.path { try? file?.remove(at: path) }
        close(descriptor)
    }

    /// Stops new clients from connecting, so that the listeners can accept every pending connection
    /// before they close. Connections still pending when the socket closes are reset. Any thread
    /// may call this.
    ///
    /// Does nothing to a shared socket, because other processes accept its pending connections.
    public func refuseConnections() {
        guard !isShared else { return }
        if address.family == AF_UNIX {
            // Tested on Linux: new clients are then refused, and connections in the backlog stay.
            shutdown(descriptor, Int32(SHUT_RD))
        } else {
            // If the filter cannot be attached, nothing better can be done.
            _ = clinux_refuse_connections(descriptor)
        }
    }

    private static func get(_ descriptor: Int32, _ option: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(4)
        guard getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 else {
            throw SystemError(call: "getsockopt")
        }
        return value
    }

    static func set(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(4)) == 0 else {
            throw SystemError(call: "setsockopt")
        }
    }

    /// Removes a socket file that has outlived its process. If nothing listens on it, connecting
    /// fails with `ECONNREFUSED`.
    private static func removeStaleFile(
        _ path: String, _ address: SocketAddress
    ) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            let file = FileIdentity(path: path)
        else { return }
        // Connecting to a process whose queue is full would wait for it.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let probe = socket(AF_UNIX, type, 0)
        guard probe >= 0 else { return }
        defer { close(probe) }
        if address.withUnsafeAddress({ connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED {
            try file.remove(at: path)
        }
    }
}
