import COpenSSL
import Glibc

/// The client's side of TLS on a connected socket that blocks. It trusts every certificate.
// @unchecked: a test uses it on one thread at a time.
public final class TLSClient: @unchecked Sendable {
    public struct Options: Sendable {
        /// From and to, such as `TLS1_2_VERSION`.
        public var versions = TLS1_VERSION...TLS1_3_VERSION
        /// Asked for by SNI.
        public var name: String?
        /// Offered by ALPN.
        public var protocols: [String] = []
        /// Of TLS 1.2 and before, as ciphers(1) writes them. Weak ones are offered, too.
        public var ciphers = "ALL:@SECLEVEL=0"
        /// Whether every byte is sent by itself.
        public var trickles = false
        /// To be resumed.
        public var session: Session?

        public init(_ configure: (inout Options) -> Void = { _ in }) { configure(&self) }
    }

    /// What a client keeps to resume a session on another connection.
    // @unchecked: nothing changes it but libssl, which locks.
    public final class Session: @unchecked Sendable {
        fileprivate let pointer: OpaquePointer

        fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { SSL_SESSION_free(pointer) }
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer

    /// Does the handshake.
    ///
    /// - Parameter descriptor: Stays the caller's, which closes it last.
    public init(_ descriptor: Int32, _ options: Options = Options()) throws {
        signal(SIGPIPE, SIG_IGN)
        ERR_clear_error()
        context = SSL_CTX_new(TLS_client_method())
        SSL_CTX_set_cipher_list(context, options.ciphers)
        _ = copenssl_set_minimum_version(context, options.versions.lowerBound)
        _ = copenssl_set_maximum_version(context, options.versions.upperBound)
        let protocols = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !protocols.isEmpty {
            SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count))
        }
        ssl = SSL_new(context)
        if let name = options.name { _ = copenssl_set_server_name(ssl, name) }
        if let session = options.session { SSL_set_session(ssl, session.pointer) }
        if options.trickles {
            let bio = BIO_new(Self.trickle)
            BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
            BIO_set_init(bio, 1)
            SSL_set_bio(ssl, bio, bio)
        } else {
            SSL_set_fd(ssl, descriptor)
        }
        let status = SSL_connect(ssl)
        guard status == 1 else { throw failure("SSL_connect", status) }
    }

    // nonisolated(unsafe): only read after it was made.
    nonisolated(unsafe) private static let trickle: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "trickle")
        BIO_meth_set_read(method) { bio, room, size in
            Int32(recv(Int32(Int(bitPattern: BIO_get_data(bio))), room, Int(size), 0))
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            usleep(200)
            return Int32(Glibc.send(Int32(Int(bitPattern: BIO_get_data(bio))), bytes, 1, 0))
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    deinit {
        // Or libssl would not resume a session whose connection has ended without close_notify.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    private func failure(_ call: String, _ status: Int32) -> TestFailure {
        let kind = SSL_get_error(ssl, status)
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return TestFailure("\(call): \(kind): \(reason ?? String(cString: strerror(errno)))")
    }

    public func send(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        let status = SSL_write(ssl, bytes, Int32(bytes.count))
        guard status == bytes.count else { throw failure("SSL_write", status) }
    }

    /// - Returns: Nothing once the server has sent close_notify.
    /// - Throws: Also if the connection ends without.
    public func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        ERR_clear_error()
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = SSL_read(ssl, &buffer, Int32(limit))
        if count > 0 { return Array(buffer[..<Int(count)]) }
        guard SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN else {
            throw failure("SSL_read", count)
        }
        return []
    }

    /// Sends close_notify.
    public func finishSending() { SSL_shutdown(ssl) }

    /// Asks for new keys, in both directions; TLS 1.3.
    public func updateKeys() throws {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        let status = SSL_do_handshake(ssl)
        guard status == 1 else { throw failure("SSL_key_update", status) }
    }

    /// Asks for another handshake; TLS 1.2.
    public func renegotiate() throws {
        SSL_renegotiate(ssl)
        let status = SSL_do_handshake(ssl)
        guard status == 1 else { throw failure("SSL_renegotiate", status) }
    }

    public var version: String { String(cString: SSL_get_version(ssl)) }
    public var wasResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// What ALPN has come to.
    public var chosenProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The common name of the certificate that the server has shown.
    public var certificateName: String? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &name, Int32(name.count))
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The type of that certificate's key, such as `EVP_PKEY_EC`.
    public var keyType: Int32? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        return EVP_PKEY_get_base_id(X509_get0_pubkey(certificate))
    }

    /// For another connection. In TLS 1.3 it can't be resumed before something was received.
    public var session: Session? { SSL_get1_session(ssl).map(Session.init) }
}
