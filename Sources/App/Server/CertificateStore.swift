import Foundation
import Logging
import Sockets
import Work

/// Updates a TLS server's certificates when their files change. It checks the files periodically.
struct CertificateStore: Sendable {
    let server: TLSServer
    private var pairs: [Pair]
    private let logger: Logger

    private struct Pair: Sendable {
        let files: CertificateFiles
        var version: [FileVersion?]
        var certificate: TLSCertificate
    }

    /// Reads all files.
    ///
    /// - Parameter files: At least one pair.
    init(_ files: [CertificateFiles], logger: Logger) throws {
        pairs = try files.map { files in
            // The version is read before the contents, so that the next check finds a change that
            // comes in between.
            let version = files.version
            return Pair(files: files, version: version, certificate: try files.read())
        }
        self.logger = logger
        server = try TLSServer(pairs.map(\.certificate))
        for pair in pairs { warnIfExpired(pair) }
    }

    /// Checks the files, and uses those that have changed. If a pair of files can't be used, logs
    /// why and continues with the previous certificate. Blocks the thread while the file system is
    /// slow.
    mutating func refresh() {
        var hasChanged = false
        for index in pairs.indices {
            let version = pairs[index].files.version
            guard version != pairs[index].version else { continue }
            pairs[index].version = version
            do throws(OperatorError) {
                pairs[index].certificate = try pairs[index].files.read()
                hasChanged = true
                logger.notice(
                    "\(pairs[index].files.certificate) has changed, and is used for \(names[index])"
                )
                warnIfExpired(pairs[index])
            } catch {
                logger.error(
                    "the previous certificate stays in use, as the new one is not usable: \(error)")
            }
        }
        if hasChanged { server.use(pairs.map(\.certificate)) }
    }

    /// The subjects' common names, in the order of the files.
    var names: [String] { pairs.map(\.certificate.commonName) }

    private func warnIfExpired(_ pair: Pair) {
        let expiry = Date(timeIntervalSince1970: TimeInterval(pair.certificate.expiry))
        guard expiry < Date() else { return }
        logger.warning(
            "the certificate in \(pair.files.certificate) expired on \(expiry.formatted(.iso8601))")
    }

    /// Checks the files at once, and then at this interval, until the task is cancelled, on threads
    /// of their own: a file system that hangs must not hold up a task.
    func watch(every interval: Duration) async {
        var store = self
        await every(interval) {
            store = await withUnsafeContinuation { [store] continuation in
                Thread.detachNewThread {
                    var refreshed = store
                    refreshed.refresh()
                    continuation.resume(returning: refreshed)
                }
            }
        }
    }
}
