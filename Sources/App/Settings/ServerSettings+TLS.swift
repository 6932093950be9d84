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

    static func redirectPort(_ reader: SettingsReader) throws(SettingError) -> Int? {
        guard let port = try reader.value(Settings.https.redirectPort) else { return nil }
        let host = try reader.value(Settings.service.host)
        guard try web(reader).publicURL.hasPrefix("https:"), !host.hasPrefix("unix:") else {
            throw SettingError(
                """
                HTTP_REDIRECT_PORT needs an https PUBLIC_URL to redirect to, and a HOST that is \
                not a unix-domain socket.
                """)
        }
        return port
    }
}
