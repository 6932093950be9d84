import COpenSSL

/// A file in PEM, whose contents are read one after another.
struct PEMFile: ~Copyable {
    private let bio: LibsslObject

    init(_ contents: [UInt8]) throws(TLSError) {
        // libssl copies the contents, and clears its copy when it frees it.
        guard
            let bio = unsafe LibsslObject(
                BIO_new(BIO_s_mem()), freedBy: { unsafe BIO_free_all($0) }),
            unsafe contents.isEmpty
                || BIO_write(bio.pointer, contents, Int32(clamping: contents.count))
                    == contents.count
        else { throw .refused(TLSError.takeReason()) }
        // Otherwise the end of the contents would mean that more may follow.
        _ = unsafe BIO_ctrl(bio.pointer, BIO_C_SET_BUF_MEM_EOF_RETURN, 0, nil)
        self.bio = bio
    }

    func certificate() throws(TLSError) -> LibsslObject {
        guard
            let certificate = unsafe LibsslObject(
                PEM_read_bio_X509_AUX(bio.pointer, nil, noPassword, nil),
                freedBy: { unsafe X509_free($0) })
        else { throw .badCertificate(TLSError.takeReason()) }
        return certificate
    }

    /// All certificates from here to the end.
    func certificates() throws(TLSError) -> LibsslObject {
        guard
            let chain = unsafe LibsslObject(
                copenssl_new_chain(), freedBy: { unsafe copenssl_free_chain($0) })
        else { throw .badCertificate(TLSError.takeReason()) }
        while let next = unsafe PEM_read_bio_X509(bio.pointer, nil, noPassword, nil) {
            // The chain owns it from here on.
            _ = unsafe copenssl_append(chain.pointer, next)
        }
        // libssl reports the end of the file as this error.
        let code = ERR_peek_last_error()
        guard ERR_GET_LIB(code) == ERR_LIB_PEM, ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            throw .badCertificate(TLSError.takeReason())
        }
        ERR_clear_error()
        return chain
    }

    func key() throws(TLSError) -> LibsslObject {
        guard
            let key = unsafe LibsslObject(
                PEM_read_bio_PrivateKey(bio.pointer, nil, noPassword, nil),
                freedBy: { unsafe EVP_PKEY_free($0) })
        else { throw .badKey(TLSError.takeReason()) }
        return key
    }
}

/// Supplies no password. Without this callback, libssl would ask for an encrypted key's password at
/// the terminal.
private func noPassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
