import Foundation

extension ServerSettings {
    static func certificates(
        _ reader: SettingsReader
    ) throws(SettingError) -> [CertificateFiles] {
        let certificates = try paths(reader, .certificateFile)
        let keys = try paths(reader, .keyFile)
        guard certificates.count == keys.count else {
            throw SettingError(
                """
                TLS_CERTIFICATE_FILE names \(certificates.count) files and TLS_KEY_FILE \
                \(keys.count); every certificate must have its key, in the same order.
                """)
        }
        return zip(certificates, keys).map { CertificateFiles(certificate: $0, key: $1) }
    }

    private static func paths(
        _ reader: SettingsReader, _ setting: Setting
    ) throws(SettingError) -> [String] {
        let parts = try reader.text(setting)?.split(
            separator: ",", omittingEmptySubsequences: false)
        let paths = (parts ?? []).map { $0.trimmingCharacters(in: .whitespaces) }
        guard !paths.contains("") else {
            throw SettingError("\(setting.name) has a comma without a file before or after it.")
        }
        return paths
    }

    static func redirectPort(
        _ reader: SettingsReader, host: String, publicURL: String
    ) throws(SettingError) -> Int? {
        guard try reader.text(.redirectPort) != nil else { return nil }
        guard publicURL.hasPrefix("https:"), !host.hasPrefix("unix:") else {
            throw SettingError(
                """
                HTTP_REDIRECT_PORT is set, which needs an https PUBLIC_URL to lead to and a HOST \
                that is not a unix-domain socket.
                """)
        }
        return try reader.number(.redirectPort, in: 0...65_535, default: 0)
    }
}
