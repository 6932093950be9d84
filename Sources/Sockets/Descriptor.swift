import CLinux
import Glibc

/// An open descriptor. It is closed once, when its owner ends.
///
/// Its calls lend the kernel memory, which they have as spans: the kernel reads or writes no more than a
/// span's length, and doesn't hold on to the memory after the call.
struct Descriptor: ~Copyable, Sendable {
    /// What system calls know it by. Valid as long as the descriptor.
    let number: Int32

    /// Takes over an open descriptor.
    init(_ number: Int32) { self.number = number }

    /// Takes over what a system call has opened, or throws why it has not.
    init(opened number: Int32, by call: String) throws(SystemError) {
        guard number >= 0 else { throw SystemError(call: call) }
        self.number = number
    }

    deinit { close(number) }

    /// Hands over the descriptor, which the caller must close.
    consuming func take() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Another descriptor of the same file.
    func duplicate() throws(SystemError) -> Descriptor {
        try Descriptor(opened: fcntl(number, F_DUPFD_CLOEXEC, 0), by: "fcntl")
    }

    // MARK: Sockets

    /// A new stream socket that doesn't block.
    static func socket(_ family: Int32) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try Descriptor(opened: Glibc.socket(family, type, 0), by: "socket")
    }

    func option(_ level: Int32, _ option: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(4)
        guard unsafe getsockopt(number, level, option, &value, &length) == 0 else {
            throw SystemError(call: "getsockopt")
        }
        return value
    }

    func set(_ level: Int32, _ option: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        guard unsafe setsockopt(number, level, option, &value, socklen_t(4)) == 0 else {
            throw SystemError(call: "setsockopt")
        }
    }

    /// The next pending connection; `nil` if there is none, or if `errno` says something else.
    func accept() -> AcceptedSocket? {
        var peer = sockaddr_storage()
        var length = socklen_t()
        let accepted = unsafe clinux_accept4(number, &peer, &length)
        guard accepted >= 0 else { return nil }
        return AcceptedSocket(descriptor: accepted, client: SocketAddress.client(peer))
    }

    /// Receives at most `limit` bytes, as recv(2) does.
    func receive(into room: inout MutableSpan<UInt8>, limit: Int) -> Int {
        Self.receive(from: number, into: &room, limit: limit)
    }

    /// Sends some bytes, and then some of `body`, as sendmsg(2) does.
    func send(_ head: Span<UInt8>, _ body: Span<UInt8>) -> Int {
        guard !body.isEmpty else { return Self.send(head, to: number) }
        return unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                    // The kernel only reads what is to be sent.
                    unsafe parts[0] = iovec(
                        iov_base: .init(mutating: head.baseAddress), iov_len: head.count)
                    unsafe parts[1] = iovec(
                        iov_base: .init(mutating: body.baseAddress), iov_len: body.count)
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = parts.baseAddress
                    unsafe message.msg_iovlen = 2
                    return unsafe sendmsg(number, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// For those who know a descriptor only by its number.
    static func receive(
        from number: Int32, into room: inout MutableSpan<UInt8>, limit: Int
    ) -> Int {
        unsafe room.withUnsafeMutableBytes {
            unsafe recv(number, $0.baseAddress, min($0.count, limit), 0)
        }
    }

    static func send(_ bytes: Span<UInt8>, to number: Int32) -> Int {
        unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
