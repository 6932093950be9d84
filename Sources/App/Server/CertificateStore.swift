import Foundation
import Logging
import Sockets

/// Keeps a TLS server's certificates equal to their files, which are looked at now and then.
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
            // Before the contents: a change in between is found at the next look.
            let version = files.version
            return Pair(files: files, version: version, certificate: try files.read())
        }
        self.logger = logger
        server = try TLSServer(
            pairs.map(\.certificate), cleartextAnswer: Array(Self.cleartextAnswer.utf8))
        for pair in pairs { warnIfExpired(pair) }
    }

    private static let cleartextAnswer: String = {
        let text = "This port speaks HTTPS: use an address that begins with https://\n"
        return """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Connection: close\r
            \r
            \(text)
            """
    }()

    /// Looks at the files, and uses those that have changed. A pair that can't be used is logged
    /// and leaves the one before in use. Blocks while the file system does.
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
                    "\(pairs[index].files.certificate) has changed and is in use, for \(names[index])"
                )
                warnIfExpired(pairs[index])
            } catch {
                logger.error("the certificate in use stays, as the new one is wrong: \(error)")
            }
        }
        if hasChanged { server.use(pairs.map(\.certificate)) }
    }

    /// The subjects' common names, in the order of the files.
    var names: [String] { pairs.map(\.certificate.commonName) }

    private func warnIfExpired(_ pair: Pair) {
        let expiry = Date(timeIntervalSince1970: TimeInterval(pair.certificate.expiry))
        guard expiry < Date() else { return }
        logger.warning("\(pair.files.certificate) has expired on \(expiry.formatted(.iso8601))")
    }

    /// Refreshes again and again until the task is cancelled. Must not run on a loop.
    func watch(every interval: Duration) async {
        var store = self
        while (try? await Task.sleep(for: interval)) != nil { store.refresh() }
    }
}
