import Glibc
import Sockets

/// Two PEM files: a certificate with its chain, and its private key. They may be renewed while the
/// server runs.
struct CertificateFiles: Sendable, Hashable {
    let certificate: String
    let key: String

    /// Reads both files. Blocks the thread while the file system is slow.
    ///
    /// - Throws: An error that names the setting and the file.
    func read() throws(OperatorError) -> TLSCertificate {
        let chain = try Self.contents(of: certificate, Settings.https.certificateFiles)
        let secret = try Self.contents(of: key, Settings.https.keyFiles)
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

    private static let sizeLimit = 1 << 20

    private static func contents(
        of path: String, _ setting: any AnySetting
    ) throws(OperatorError) -> [UInt8] {
        func failure(_ reason: String) -> OperatorError {
            OperatorError("\(setting.name): \(path) cannot be read (\(reason)).")
        }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        var count = 0
        while count < sizeLimit {
            let some = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), sizeLimit - count)
            }
            guard some >= 0 else { throw failure(String(cString: strerror(errno))) }
            if some == 0 { return Array(bytes[..<count]) }
            count += some
        }
        throw failure("it has more than \(sizeLimit) bytes")
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
