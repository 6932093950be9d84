import COpenSSL
import Glibc

/// A certificate with its chain and the private key that belongs to it.
public final class TLSCertificate: Sendable {
    // Nothing changes them after `init`.
    private let certificate: LibsslObject
    private let chain: LibsslObject
    private let key: LibsslObject

    /// When the certificate expires, in seconds since 1970.
    public let expiry: Int

    /// - Parameters:
    ///   - chain: In PEM: the server's certificate, then the intermediate certificates up to an
    ///     authority that clients know (RFC 8446 section 4.4.2).
    ///   - key: In PEM, not encrypted.
    public init(chain: [UInt8], key: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        let file = try PEMFile(chain)
        let certificate = try file.certificate()
        expiry = Self.expiry(of: certificate)
        self.certificate = certificate
        self.chain = try file.certificates()
        self.key = try PEMFile(key).key()
        try check()
    }

    private static func expiry(of certificate: borrowing LibsslObject) -> Int {
        var time = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate.pointer), &time) == 1 else {
            return 0
        }
        return unsafe timegm(&time)
    }

    /// Detects errors that would otherwise fail every handshake.
    private func check() throws(TLSError) {
        guard unsafe X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            ERR_clear_error()
            throw .mismatch
        }
        guard
            let context = unsafe LibsslObject(
                SSL_CTX_new(TLS_server_method()), freedBy: { unsafe SSL_CTX_free($0) }),
            unsafe SSL_CTX_use_cert_and_key(
                context.pointer, certificate.pointer, key.pointer, chain.pointer, 1) == 1
        else { throw .refused(TLSError.takeReason()) }
    }

    /// The subject's common name, for logs; empty without one.
    public var commonName: String {
        var name = [CChar](repeating: 0, count: 256)
        unsafe X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate.pointer), NID_commonName, &name, Int32(name.count))
        return String(untilNUL: name)
    }

    /// Whether the certificate is valid for a host, according to its alternative names (RFC 6125
    /// section 6.4).
    func isFor(host: String) -> Bool {
        unsafe X509_check_host(certificate.pointer, host, 0, 0, nil) == 1
    }

    /// Adds the certificate to those that a connection may present, at most one for each type of
    /// key.
    @unsafe func offer(on ssl: OpaquePointer) -> Bool {
        unsafe SSL_use_cert_and_key(
            ssl, certificate.pointer, key.pointer, chain.pointer, 1) == 1
    }
}
