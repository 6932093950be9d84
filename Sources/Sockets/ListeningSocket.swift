import CLinux
import Glibc

/// A socket that accepts connections. Several loops can listen on it at once, each with its own
/// `Listener`.
///
/// The loops share one socket instead of each having its own with `SO_REUSEPORT`. A second server
/// on the same port is therefore refused instead of taking half of the connections. Connections are
/// spread by load rather than by a hash, and none is lost when a loop stops listening.
public final class ListeningSocket: Sendable {
    let descriptor: Descriptor
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
        let descriptor = try Descriptor.socket(address.family)
        try Self.prepare(descriptor, address, backlog: backlog)
        self.address = SocketAddress.local(of: descriptor) ?? address
        self.descriptor = descriptor
        isShared = false
        file = address.path.flatMap { FileIdentity(path: $0) }
    }

    /// Takes over a listening stream socket that the process has inherited, unless it throws.
    ///
    /// - Throws: `ENOTSOCK` if the descriptor is not a socket; `EINVAL` if it is not a listening
    ///   stream socket.
    public init(inherited number: Int32) throws(SystemError) {
        let descriptor = Descriptor(number)
        do throws(SystemError) {
            address = try Self.adapt(descriptor)
        } catch {
            _ = descriptor.take()
            throw error
        }
        self.descriptor = descriptor
        isShared = true
        file = nil
    }

    /// - Returns: The address that it listens on.
    private static func adapt(
        _ descriptor: borrowing Descriptor
    ) throws(SystemError) -> SocketAddress {
        guard try descriptor.option(SOL_SOCKET, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            try descriptor.option(SOL_SOCKET, SO_ACCEPTCONN) == 1,
            let address = SocketAddress.local(of: descriptor)
        else { throw SystemError(call: "getsockopt", code: EINVAL) }
        let flags = fcntl(descriptor.number, F_GETFL)
        guard fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) == 0
        else { throw SystemError(call: "fcntl") }
        if address.path == nil, address.family != AF_UNIX {
            try descriptor.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        return address
    }

    private static func prepare(
        _ descriptor: borrowing Descriptor, _ address: SocketAddress, backlog: Int32
    ) throws(SystemError) {
        if let path = address.path {
            try removeStaleFile(path, address)
        } else {
            try descriptor.set(SOL_SOCKET, SO_REUSEADDR, 1)
            // Responses are written whole, so waiting to fill a segment only delays them. On Linux,
            // accepted connections inherit the option.
            try descriptor.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        // An IPv6 socket accepts no IPv4 connections: to listen on IPv4, name an IPv4 address too,
        // such as 0.0.0.0.
        if address.family == AF_INET6 {
            try descriptor.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        guard address.bind(descriptor) else { throw SystemError(call: "bind") }
        if let path = address.path, unsafe chmod(path, 0o660) != 0 {
            throw SystemError(call: "chmod")
        }
        guard listen(descriptor.number, backlog) == 0 else { throw SystemError(call: "listen") }
    }

    deinit {
        // The file is removed first: once the socket is closed, which happens after this, a successor
        // may bind the same path. The file of a shared socket is left to the other processes, and so is
        // that of a successor who has moved it here.
        if let path = address.path { try? file?.remove(at: path) }
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
            shutdown(descriptor.number, Int32(SHUT_RD))
        } else {
            // If the filter cannot be attached, nothing better can be done.
            _ = clinux_refuse_connections(descriptor.number)
        }
    }

    /// Removes a socket file that has outlived its process. If nothing listens on it, connecting
    /// fails with `ECONNREFUSED`.
    private static func removeStaleFile(
        _ path: String, _ address: SocketAddress
    ) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            let file = FileIdentity(path: path)
        else { return }
        // Connecting to a process whose queue is full would wait for it.
        guard let probe = try? Descriptor.socket(AF_UNIX) else { return }
        if !address.connect(probe), errno == ECONNREFUSED {
            try file.remove(at: path)
        }
    }
}
