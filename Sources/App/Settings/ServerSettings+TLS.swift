extension ServerSettings {
    static func certificates(
        _ reader: SettingsReader
    ) throws(SettingError) -> [CertificateFiles] {
        let certificates = try reader.value(Settings.https.certificateFiles)
        let keys = try reader.value(Settings.https.keyFiles)
        guard certificates.count == keys.count else {
            throw SettingError(
                """
                TLS_CERTIFICATE_FILE names \(certificates.count) files and TLS_KEY_FILE \
                \(keys.count); every certificate must have its key, in the same order.
                """)
        }
        return zip(certificates, keys).map { CertificateFiles(certificate: $0, key: $1) }
    }
}
