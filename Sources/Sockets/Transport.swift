import Glibc

/// Moves a stream's bytes over its descriptor, in clear text or through TLS. Never blocks.
struct Transport: ~Copyable {
    let descriptor: Descriptor
    /// Removed when a stream continues in clear text.
    var tls: TLSConnection?

    /// Receives at most `limit` bytes, which is at least 1 and at most the size of `room`.
    func receive(into room: inout MutableSpan<UInt8>, limit: Int) -> Transfer {
        if let tls { return tls.receive(into: &room, limit: limit) }
        while true {
            let count = descriptor.receive(into: &room, limit: limit)
            // epoll(7): a short read means that the kernel's buffer is empty.
            if count > 0 { return .moved(count, mayContinue: count == limit) }
            if count == 0 { return .ended }
            if errno == EAGAIN { return .blocked }
            if errno != EINTR { return .failed(SystemError(call: "recv")) }
        }
    }

    /// Sends some of the bytes. There must be at least one. After `.blocked`, the next call must
    /// begin with the same bytes, because TLS may have encrypted them already. The bytes may have
    /// moved to another address.
    func send(_ head: Span<UInt8>, _ body: Span<UInt8>) -> Transfer {
        if let tls { return tls.send(head.isEmpty ? body : head) }
        while true {
            let count = descriptor.send(head, body)
            if count >= 0 { return .moved(count, mayContinue: true) }
            if errno == EAGAIN { return .blocked }
            if errno != EINTR { return .failed(SystemError(call: "send")) }
        }
    }

    /// Tells the peer that nothing more will be sent.
    ///
    /// - Returns: `false` if this must be called again once the descriptor is writable.
    func finishSending() -> Bool {
        if let tls, !tls.finishSending() { return false }
        shutdown(descriptor.number, Int32(SHUT_WR))
        return true
    }

    /// Closes the descriptor.
    ///
    /// - Parameter isWhole: Whether all output has been sent. If not, a TLS peer is not told of the
    ///   end, and so knows that something is missing (RFC 8446 section 6.1).
    consuming func close(isWhole: Bool) {
        if isWhole { _ = tls?.finishSending() }
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
