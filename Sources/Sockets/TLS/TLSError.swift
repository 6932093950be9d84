import COpenSSL

/// Why a certificate and its key can't be used.
public enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first file holds no certificate in PEM, or a damaged one. The text is libssl's reason.
    case badCertificate(String)
    /// The second file holds no private key in PEM, or a damaged or encrypted one. The text is
    /// libssl's reason.
    case badKey(String)
    /// The key belongs to another certificate.
    case mismatch
    /// libssl rejects the pair, for example because it is too weak. The text is libssl's reason.
    case refused(String)

    public var description: String {
        switch self {
        case .badCertificate(let reason): "there is no usable certificate in PEM (\(reason))"
        case .badKey(let reason): "there is no unencrypted private key in PEM (\(reason))"
        case .mismatch: "the private key does not belong to the certificate"
        case .refused(let reason): "OpenSSL refuses the certificate (\(reason))"
        }
    }

    /// libssl's reason for its latest error on this thread. Clears libssl's queue of errors.
    static func takeReason() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
            ?? "no reason given"
    }
}
