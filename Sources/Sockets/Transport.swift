import Glibc

/// Moves a stream's bytes over its descriptor, in the clear or through TLS. Never blocks.
struct Transport {
    let descriptor: Int32
    let tls: TLSConnection?

    /// Through TLS, receiving may have to wait until the descriptor can be written, and sending
    /// until it can be read: whatever the kernel reports, both are worth another try.
    var retriesBoth: Bool { tls != nil }

    /// Receives at most as many bytes as `room` holds, which must not be empty.
    func receive(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        if let tls { return tls.receive(into: room) }
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            // epoll(7): a short read means that the kernel's buffer is empty.
            if count > 0 { return .moved(count, mayContinue: count == room.count) }
            if count == 0 { return .ended }
            if errno == EAGAIN { return .blocked }
            if errno != EINTR { return .failed(SystemError(call: "recv")) }
        }
    }

    /// Whether nothing can be sent until a TLS handshake is done.
    var isHandshaking: Bool { tls.map { !$0.hasHandshaken } ?? false }

    /// Whether what is sent is copied in any case, so that one piece is better than two.
    var copies: Bool { tls != nil }

    /// Sends a part of the bytes, of which there must be some. After `.blocked` the next call must
    /// begin with the same bytes, as TLS may have encrypted them already; they may have moved.
    func send(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Transfer {
        if let tls { return tls.send(head.isEmpty ? body : head) }
        while true {
            let count = sendOnce(head, body)
            if count >= 0 { return .moved(count, mayContinue: true) }
            if errno == EAGAIN { return .blocked }
            if errno != EINTR { return .failed(SystemError(call: "send")) }
        }
    }

    private func sendOnce(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
    ) -> Int {
        guard body.count > 0 else {
            return Glibc.send(descriptor, head.baseAddress, head.count, Int32(MSG_NOSIGNAL))
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count)
            parts[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = 2
            return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
    }

    /// Tells the peer that nothing more comes.
    ///
    /// - Returns: `false` if it must be called again once the descriptor can be written.
    func finishSending() -> Bool {
        if let tls, !tls.finishSending() { return false }
        shutdown(descriptor, Int32(SHUT_WR))
        return true
    }

    /// Closes the descriptor.
    ///
    /// - Parameter isWhole: Whether the peer has got all that was to be sent. A TLS peer that was
    ///   not told of the end knows that something is missing (RFC 8446 section 6.1).
    func close(isWhole: Bool) {
        if isWhole { _ = tls?.finishSending() }
        Glibc.close(descriptor)
    }
}

/// What one attempt to receive or send has come to.
enum Transfer {
    /// As many bytes were moved, possibly none. Unless `mayContinue`, a further attempt would only
    /// block.
    case moved(Int, mayContinue: Bool)
    /// Nothing moves until the kernel reports that the descriptor is ready.
    case blocked
    /// The peer sends nothing more.
    case ended
    case failed(SystemError)
}
