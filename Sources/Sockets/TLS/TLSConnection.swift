import COpenSSL
import Glibc

/// The server's side of TLS on one connection. Confined to its stream's loop.
///
/// libssl receives and sends through callbacks to this object instead of using the socket itself.
/// The callbacks know whether the kernel has more bytes, bound the size of a handshake, detect
/// clear text and raise no SIGPIPE. Receiving drives the handshake.
final class TLSConnection {
    private let ssl: LibsslObject
    private let server: TLSServer
    private let descriptor: Int32
    /// Whether the first handshake is done. Stays true while the peer changes keys, which libssl
    /// treats as a handshake.
    private(set) var hasHandshaken = false
    private var handshakeBytes = 0
    /// The state of the kernel's buffer, according to the latest receive.
    private var kernel = KernelBuffer.unknown
    private var errorNumber: Int32 = 0
    private var beganInClearText = false
    private var hasFailed = false
    private var hasFinished = false

    private enum KernelBuffer { case unknown, mayHaveMore, drained, blocked, ended }

    /// In bytes, more than a client's part of any handshake takes. Clients aren't asked for
    /// certificates.
    private static let handshakeLimit = 65_536

    /// - Parameter descriptor: Still owned by the caller, which must keep it open as long as this
    ///   connection is used.
    init(_ server: TLSServer, descriptor: Int32) throws(SystemError) {
        guard let ssl = server.makeConnection() else {
            throw SystemError(call: "SSL_new", code: ENOMEM)
        }
        guard let bio = unsafe BIO_new(Self.method) else {
            throw SystemError(call: "BIO_new", code: ENOMEM)
        }
        // It frees the BIO, too.
        unsafe SSL_set_bio(ssl.pointer, bio, bio)
        unsafe SSL_set_accept_state(ssl.pointer)
        self.ssl = ssl
        self.server = server
        self.descriptor = descriptor
        // Unretained: the BIO that calls back is freed with this connection.
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
    }

    // MARK: The stream's side

    /// See `Transport.receive(into:limit:)`. Continues the handshake until it is done.
    func receive(into room: inout MutableSpan<UInt8>, limit: Int) -> Transfer {
        // Errors that other connections left on this thread would be taken for this connection's.
        ERR_clear_error()
        kernel = .unknown
        let count = unsafe room.withUnsafeMutableBytes {
            unsafe SSL_read(ssl.pointer, $0.baseAddress, Int32(clamping: min($0.count, limit)))
        }
        noteHandshake()
        if count > 0 {
            let mayContinue = unsafe SSL_has_pending(ssl.pointer) == 1 || kernel != .drained
            return .moved(Int(count), mayContinue: mayContinue)
        }
        switch unsafe SSL_get_error(ssl.pointer, count) {
        case SSL_ERROR_ZERO_RETURN: return .ended
        // libssl also returns this after a TLS message of its own, such as a key update.
        case SSL_ERROR_WANT_READ:
            return kernel == .blocked ? .blocked : .moved(0, mayContinue: true)
        case SSL_ERROR_WANT_WRITE: return .blocked
        default: return fail("SSL_read")
        }
    }

    /// See `Transport.send(_:_:)`. Returns `.blocked` until the handshake is done.
    func send(_ bytes: Span<UInt8>) -> Transfer {
        guard hasHandshaken else { return .blocked }
        ERR_clear_error()
        let count = unsafe bytes.withUnsafeBytes {
            unsafe SSL_write(ssl.pointer, $0.baseAddress, Int32(clamping: $0.count))
        }
        if count > 0 { return .moved(Int(count), mayContinue: true) }
        switch unsafe SSL_get_error(ssl.pointer, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
        default: return fail("SSL_write")
        }
    }

    /// Sends close_notify (RFC 8446 section 6.1), once, if the handshake is done.
    ///
    /// - Returns: `false` if this must be called again once the descriptor is writable.
    func finishSending() -> Bool {
        guard hasHandshaken, !hasFailed, !hasFinished else { return true }
        ERR_clear_error()
        let status = unsafe SSL_shutdown(ssl.pointer)
        hasFinished =
            unsafe status >= 0 || SSL_get_error(ssl.pointer, status) != SSL_ERROR_WANT_WRITE
        return hasFinished
    }

    private func noteHandshake() {
        if !hasHandshaken { hasHandshaken = unsafe SSL_is_init_finished(ssl.pointer) == 1 }
    }

    private func fail(_ call: String) -> Transfer {
        hasFailed = true
        ERR_clear_error()
        if beganInClearText { return .inClearText }
        // The input ended without close_notify, so anyone on the path may have cut the connection.
        if kernel == .ended { errorNumber = ECONNRESET }
        return .failed(SystemError(call: call, code: errorNumber == 0 ? EPROTO : errorNumber))
    }

    // MARK: libssl's side

    private func libsslReceives(into room: inout MutableSpan<UInt8>) -> Int32 {
        while true {
            let count = Descriptor.receive(
                from: descriptor, into: &room, limit: room.count)
            if count > 0 {
                kernel = count == room.count ? .mayHaveMore : .drained
                noteHandshake()
                return hasHandshaken || admit(room.span.extracting(..<count)) ? Int32(count) : -1
            }
            if count == 0 {
                kernel = .ended
                return 0
            }
            if errno == EINTR { continue }
            if errno == EAGAIN { kernel = .blocked } else { errorNumber = errno }
            return -1
        }
    }

    /// Whether these bytes may be passed to the handshake: they fit its limit and are not clear
    /// text.
    private func admit(_ bytes: Span<UInt8>) -> Bool {
        // A handshake begins with a record of type 22 (RFC 8446 section 5.1), and an HTTP request
        // with a capital letter.
        if handshakeBytes == 0, (0x41...0x5A).contains(bytes[0]) { beganInClearText = true }
        handshakeBytes += bytes.count
        guard handshakeBytes <= Self.handshakeLimit else {
            errorNumber = EMSGSIZE
            return false
        }
        return !beganInClearText
    }

    private func libsslSends(_ bytes: Span<UInt8>) -> Int32 {
        while true {
            let sent = Descriptor.send(bytes, to: descriptor)
            if sent >= 0 { return Int32(sent) }
            if errno == EINTR { continue }
            if errno != EAGAIN { errorNumber = errno }
            return -1
        }
    }

    private static func owner(_ bio: OpaquePointer?) -> TLSConnection? {
        unsafe BIO_get_data(bio).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The callbacks through which libssl reads and writes; see BIO_meth_new(3ssl).
    // nonisolated(unsafe): only read once it is made.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream")
        unsafe BIO_meth_set_read(method) { bio, room, size in
            unsafe BIO_clear_flags(bio, retryFlags)
            guard let connection = unsafe owner(bio), size > 0 else { return -1 }
            var memory = unsafe MutableSpan<UInt8>(
                _unsafeBytes: UnsafeMutableRawBufferPointer(start: room, count: Int(size)))
            let count = connection.libsslReceives(into: &memory)
            if connection.kernel == .blocked {
                unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            }
            return count
        }
        unsafe BIO_meth_set_write(method) { bio, bytes, count in
            unsafe BIO_clear_flags(bio, retryFlags)
            guard let connection = unsafe owner(bio), count > 0 else { return -1 }
            let memory = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
            let sent = unsafe connection.libsslSends(Span(_unsafeBytes: memory))
            if sent < 0, connection.errorNumber == 0 {
                unsafe BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            }
            return sent
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    private static let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY
}
