import Glibc

/// Moves a stream's bytes over its descriptor, in clear text or through TLS. Never blocks.
struct Transport {
    let descriptor: Int32
    /// Removed when a stream continues in clear text.
    var tls: TLSConnection?

    /// Whether readiness in either direction makes both receiving and sending worth another try.
    /// Through TLS, receiving may have to wait until the descriptor is writable, and sending until
    /// it is readable.
    var retriesBoth: Bool { tls != nil }

    /// Receives at most `room.count` bytes. `room` must not be empty.
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

    /// Whether sending copies the bytes in any case, so that one buffer is better than two.
    var copies: Bool { tls != nil }

    /// Sends some of the bytes. There must be at least one. After `.blocked`, the next call must
    /// begin with the same bytes, because TLS may have encrypted them already. The bytes may have
    /// moved to another address.
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

    /// Tells the peer that nothing more will be sent.
    ///
    /// - Returns: `false` if this must be called again once the descriptor is writable.
    func finishSending() -> Bool {
        if let tls, !tls.finishSending() { return false }
        shutdown(descriptor, Int32(SHUT_WR))
        return true
    }

    /// Closes the descriptor.
    ///
    /// - Parameter isWhole: Whether all output has been sent. If not, a TLS peer is not told of the
    ///   end, and so knows that something is missing (RFC 8446 section 6.1).
    func close(isWhole: Bool) {
        if isWhole { _ = tls?.finishSending() }
        Glibc.close(descriptor)
    }
}

/// The outcome of one attempt to receive or send.
enum Transfer {
    /// This many bytes were moved, possibly none. Unless `mayContinue` is true, another attempt
    /// would only block.
    case moved(Int, mayContinue: Bool)
    /// Nothing moves until the kernel reports that the descriptor is ready.
    case blocked
    /// The peer will send nothing more.
    case ended
    /// The peer speaks in clear text instead of beginning a TLS handshake.
    case inClearText
    case failed(SystemError)
}
