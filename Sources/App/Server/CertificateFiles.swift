import Glibc
import Sockets

/// Two PEM files: a certificate with its chain, and its private key. They may be renewed while the
/// server runs.
struct CertificateFiles: Sendable, Hashable {
    let certificate: String
    let key: String

    private static let sizeLimit = 1 << 20

    /// Reads both files. Blocks the thread while the file system is slow.
    ///
    /// - Throws: An error that names the setting and the file.
    func read() throws(OperatorError) -> TLSCertificate {
        let chain = try SettingFile.contents(
            of: certificate, for: Settings.https.certificateFiles, limit: Self.sizeLimit)
        let secret = try SettingFile.contents(
            of: key, for: Settings.https.keyFiles, limit: Self.sizeLimit)
        do throws(TLSError) {
            return try TLSCertificate(chain: chain, key: secret)
        } catch {
            let (setting, path) =
                if case .badKey = error { (Settings.https.keyFiles, key) } else {
                    (Settings.https.certificateFiles, certificate)
                }
            throw OperatorError("\(setting.name): \(path): \(error).")
        }
    }

    /// The versions of both files. They change when a file is written to, or replaced, for example
    /// by renaming another file to its path. Blocks the thread while the file system is slow.
    var version: [FileVersion?] { [FileVersion(of: certificate), FileVersion(of: key)] }
}

/// What identifies one version of a file's contents. Symbolic links are followed.
struct FileVersion: Hashable {
    private let numbers: [Int]

    /// `nil` if there is no such file.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        numbers = [
            Int(status.st_dev), Int(status.st_ino), Int(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            // Every write and every change of permissions sets this time. Unlike the one above, a
            // program cannot set it back.
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
