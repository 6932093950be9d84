import COpenSSL
import Encodings
import Synchronization

/// The shared state of a TLS server's connections: its certificates, and the keys of the tickets
/// that let clients resume their sessions. Any thread may use it.
///
/// The server speaks TLS 1.2 and 1.3, with ephemeral keys and authenticated encryption only. This
/// is Mozilla's "intermediate" recommendation without finite-field groups. If a client negotiates a
/// protocol by ALPN (RFC 7301), the server chooses HTTP/1.1. Clients store their own sessions, in
/// tickets (RFC 5077 and RFC 8446 section 4.6.1), so sessions take no memory here. Sessions survive
/// a change of certificates.
public final class TLSServer: Sendable {
    private let context: LibsslObject
    private let certificates: Mutex<[TLSCertificate]>

    /// - Parameter certificates: At least one. A client names the host that it wants (RFC 6066 section
    ///   3), and is offered the certificates that are valid for it. If there is none, or the client
    ///   names no host, it is offered the first.
    public init(_ certificates: [TLSCertificate]) throws(TLSError) {
        precondition(!certificates.isEmpty)
        guard
            let context = unsafe LibsslObject(
                SSL_CTX_new(TLS_server_method()), freedBy: { unsafe SSL_CTX_free($0) })
        else { throw .refused(TLSError.takeReason()) }
        self.context = context
        self.certificates = Mutex(certificates)
        try configure()
    }

    /// Presents these certificates, at least one, in all later handshakes. Existing connections are
    /// not affected.
    public func use(_ certificates: [TLSCertificate]) {
        precondition(!certificates.isEmpty)
        self.certificates.withLock { $0 = certificates }
    }

    /// When each certificate ends, in seconds since 1970, with its subject's common name.
    public var expiries: [(name: String, time: Int)] {
        certificates.withLock { $0.map { ($0.commonName, $0.expiry) } }
    }

    private func configure() throws(TLSError) {
        let ciphers = """
            ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
            ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
            ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
            """
        let ciphersOf13 =
            "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
        let context = unsafe context.pointer
        guard unsafe copenssl_set_minimum_version(context, TLS1_2_VERSION) == 1,
            unsafe copenssl_set_maximum_version(context, TLS1_3_VERSION) == 1,
            unsafe SSL_CTX_set_cipher_list(context, ciphers) == 1,
            unsafe SSL_CTX_set_ciphersuites(context, ciphersOf13) == 1,
            unsafe copenssl_set_groups(context, "X25519:P-256:P-384") == 1
        else { throw .refused(TLSError.takeReason()) }
        unsafe SSL_CTX_set_options(context, copenssl_no_renegotiation | copenssl_no_compression)
        unsafe copenssl_set_cache_mode(context, SSL_SESS_CACHE_OFF)
        // The stream may move its output between attempts, and may have more output at the next
        // attempt. An idle connection holds no buffers.
        unsafe copenssl_set_mode(
            context,
            SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                | SSL_MODE_RELEASE_BUFFERS)
        // A peer that sends nothing but key updates must not hold the loop in one call.
        unsafe copenssl_clear_mode(context, SSL_MODE_AUTO_RETRY)
        // Reads a record's header and its contents with one system call.
        unsafe copenssl_read_ahead(context)
        // Unretained: every connection retains the server.
        let server = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe SSL_CTX_set_cert_cb(context, Self.chooseCertificate, server)
        unsafe SSL_CTX_set_alpn_select_cb(context, Self.chooseProtocol, nil)
    }

    /// The state of a new connection, before its handshake.
    func makeConnection() -> LibsslObject? {
        unsafe LibsslObject(SSL_new(context.pointer), freedBy: { unsafe SSL_free($0) })
    }

    /// Called by libssl in each full handshake, once it has read the client's hello.
    private static let chooseCertificate:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { ssl, server in
            guard let ssl = unsafe ssl, let server = unsafe server else { return 0 }
            let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)
            let offered = unsafe Unmanaged<TLSServer>.fromOpaque(server).takeUnretainedValue()
                .certificates(for: name.map { unsafe String(cString: $0) })
                .allSatisfy { unsafe $0.offer(on: ssl) }
            return offered ? 1 : 0
        }

    private func certificates(for host: String?) -> [TLSCertificate] {
        let all = certificates.withLock { $0 }
        let matching = host.map { host in all.filter { $0.isFor(host: host) } } ?? []
        return matching.isEmpty ? Array(all.prefix(1)) : matching
    }

    private static let http = Array("http/1.1".utf8)

    /// Called by libssl if the client lists the protocols that it speaks on top of TLS. A byte with
    /// its length precedes each name. If HTTP/1.1 is not among them, the handshake fails.
    private static let chooseProtocol: SSL_CTX_alpn_select_cb_func = {
        _, chosen, chosenLength, offered, count, _ in
        let list = unsafe UnsafeBufferPointer(start: offered, count: Int(count))
        guard let start = unsafe position(of: http, in: list.span) else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        // libssl copies the name, which is a part of the client's list.
        unsafe chosen?.pointee = offered?.advanced(by: start)
        unsafe chosenLength?.pointee = UInt8(http.count)
        return SSL_TLSEXT_ERR_OK
    }

    /// Where a protocol's name begins in a client's list.
    private static func position(of name: [UInt8], in list: Span<UInt8>) -> Int? {
        var start = 1
        while start <= list.count {
            let end = start + Int(list[start - 1])
            guard end <= list.count else { return nil }
            if list.extracting(start..<end).isEqual(to: name.span) { return start }
            start = end + 1
        }
        return nil
    }
}
