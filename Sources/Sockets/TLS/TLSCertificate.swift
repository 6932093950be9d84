import COpenSSL
import Glibc

/// A certificate with its chain and the private key that belongs to it.
// nonisolated(unsafe): nothing changes them after `init`; libssl counts references atomically.
public final class TLSCertificate: Sendable {
    nonisolated(unsafe) private let certificate: OpaquePointer
    nonisolated(unsafe) private let chain: OpaquePointer
    nonisolated(unsafe) private let key: OpaquePointer

    /// When the certificate expires, in seconds since 1970.
    public let expiry: Int

    /// - Parameters:
    ///   - chain: In PEM: the server's certificate, then the intermediate certificates up to an
    ///     authority that clients know (RFC 8446 section 4.4.2).
    ///   - key: In PEM, not encrypted.
    public init(chain: [UInt8], key: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        (certificate, self.chain) = try Self.withFile(chain) { file throws(TLSError) in
            try Self.readCertificates(file)
        }
        do throws(TLSError) {
            self.key = try Self.withFile(key) { file throws(TLSError) in try Self.readKey(file) }
        } catch {
            X509_free(certificate)
            copenssl_free_chain(self.chain)
            throw error
        }
        expiry = Self.expiry(of: certificate)
        try check()
    }

    deinit {
        EVP_PKEY_free(key)
        copenssl_free_chain(chain)
        X509_free(certificate)
    }

    private static func withFile<Result>(
        _ contents: [UInt8], _ body: (OpaquePointer?) throws(TLSError) -> Result
    ) throws(TLSError) -> Result {
        try contents.withUnsafeBufferPointer { bytes throws(TLSError) in
            let file = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { BIO_free(file) }
            return try body(file)
        }
    }

    private static func readCertificates(
        _ file: OpaquePointer?
    ) throws(TLSError) -> (OpaquePointer, OpaquePointer) {
        guard let certificate = PEM_read_bio_X509_AUX(file, nil, noPassword, nil),
            let chain = copenssl_new_chain()
        else { throw .badCertificate(TLSError.takeReason()) }
        while let next = PEM_read_bio_X509(file, nil, noPassword, nil) {
            _ = copenssl_append(chain, next)
        }
        // libssl reports the end of the file as this error.
        let code = ERR_peek_last_error()
        guard ERR_GET_LIB(code) == ERR_LIB_PEM, ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            X509_free(certificate)
            copenssl_free_chain(chain)
            throw .badCertificate(TLSError.takeReason())
        }
        ERR_clear_error()
        return (certificate, chain)
    }

    private static func readKey(_ file: OpaquePointer?) throws(TLSError) -> OpaquePointer {
        guard let key = PEM_read_bio_PrivateKey(file, nil, noPassword, nil) else {
            throw .badKey(TLSError.takeReason())
        }
        return key
    }

    private static func expiry(of certificate: OpaquePointer) -> Int {
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return 0 }
        return timegm(&time)
    }

    /// Detects errors that would otherwise fail every handshake.
    private func check() throws(TLSError) {
        guard X509_check_private_key(certificate, key) == 1 else {
            ERR_clear_error()
            throw .mismatch
        }
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw .refused(TLSError.takeReason())
        }
        defer { SSL_CTX_free(context) }
        guard SSL_CTX_use_cert_and_key(context, certificate, key, chain, 1) == 1 else {
            throw .refused(TLSError.takeReason())
        }
    }

    /// The subject's common name, for logs; empty without one.
    public var commonName: String {
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &name, Int32(name.count))
        return String(untilNUL: name)
    }

    /// Whether the certificate is valid for a host, according to its alternative names (RFC 6125
    /// section 6.4).
    func isFor(host: UnsafePointer<CChar>) -> Bool {
        X509_check_host(certificate, host, 0, 0, nil) == 1
    }

    /// Adds the certificate to those that a connection may present, at most one for each type of
    /// key.
    func offer(on ssl: OpaquePointer) -> Bool {
        SSL_use_cert_and_key(ssl, certificate, key, chain, 1) == 1
    }
}

/// Supplies no password. Without this callback, libssl would ask for an encrypted key's password at
/// the terminal.
private func noPassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
