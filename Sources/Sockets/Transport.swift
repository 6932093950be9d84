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

    /// Sends a part of the bytes, of which there must be some. After `.blocked` the next call must
    /// begin with the same bytes, as TLS may have encrypted them already; they may have moved.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        if let tls { return tls.send(bytes) }
        while true {
            let count = Glibc.send(
                descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count, mayContinue: true) }
            if errno == EAGAIN { return .blocked }
            if errno != EINTR { return .failed(SystemError(call: "send")) }
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
