import CLibCurl
import Encodings
import FaveGames
import Sockets
import Transfers

/// A connection for one message. libcurl makes it, with TLS and authentication. Confined to its
/// loop.
final class SMTPConnection {
    private let loop: EventLoop
    private let multi: MultiHandle
    private let easy: EasyHandle
    private var session: SMTPSession?
    private var isClosed = false
    private let hasCredentials: Bool
    private var isAuthenticated = false
    private var replyBytes = 0
    private var lastReply = ""

    /// The most bytes of all replies.
    private static let replyLimit = 65_536

    /// - Parameter name: The host name that we give the server in EHLO.
    init(
        to server: SMTPServer, from name: String, on loop: EventLoop
    ) throws(SMTPError) {
        guard let easy = EasyHandle() else { throw SMTPError(.unsupported, "out of memory") }
        self.easy = easy
        self.loop = loop
        multi = MultiHandle(on: loop, connectionLimit: 1)
        hasCredentials = server.credentials != nil
        // The path is the argument of EHLO.
        easy.set(CURLOPT_URL, "\(server.url)/\(name)")
        easy.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        easy.set(CURLOPT_NOSIGNAL, 1)
        // At least 1, because libcurl takes 0 for its default.
        let milliseconds = max(1, Int(server.connectTimeout / .milliseconds(1)))
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        if server.security != .none {
            // Not CURLUSESSL_TRY, which continues without TLS if the server doesn't offer STARTTLS.
            easy.set(CURLOPT_USE_SSL, clibcurl_usessl_all)
            easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            easy.set(CURLOPT_SSL_VERIFYPEER, 1)
            easy.set(CURLOPT_SSL_VERIFYHOST, 2)
            if let file = server.certificateAuthorities { easy.set(CURLOPT_CAINFO, file) }
        }
        if let credentials = server.credentials {
            easy.set(CURLOPT_USERNAME, credentials.user)
            easy.set(CURLOPT_PASSWORD, credentials.password)
        }
        guard easy.optionError == CURLE_OK else {
            throw SMTPError(.unsupported, easy.text(of: easy.optionError))
        }
        // Unowned: the connection owns the handle.
        easy.receivedHeader = { [unowned self] in received($0) }
    }

    private func received(_ line: Span<UInt8>) -> Bool {
        replyBytes += line.count
        lastReply = String(OneLine.clean(line.repairedText).prefix(500))
        // RFC 4954 section 4: authentication succeeded.
        if line.starts(with: "235") { isAuthenticated = true }
        return replyBytes <= Self.replyLimit
    }

    /// Makes the connection.
    func open(
        until deadline: MonotonicTime, isolation: isolated any Actor = #isolation
    ) async throws(SMTPError) {
        switch await multi.connect(easy, until: deadline) {
        case .completed(CURLE_OK): break
        case .completed(let code): throw error(code)
        case .notStarted(let status):
            throw SMTPError(.unsupported, status.text)
        case .timedOut: throw SMTPError(.timedOut)
        case .cancelled: throw SMTPError(.cancelled)
        case .closed: throw SMTPError(.closed)
        }
        // Closed between the completion and here.
        guard !isClosed else { throw SMTPError(.closed) }
        // libcurl continues without authentication if it knows none of the server's methods.
        guard isAuthenticated || !hasCredentials else {
            throw SMTPError(.authentication, "the server offers no known way to authenticate")
        }
    }

    /// Hands the message over on the open connection.
    func deliver(
        _ message: MailMessage, until deadline: MonotonicTime,
        isolation: isolated any Actor = #isolation
    ) async throws(SMTPError) {
        let session = SMTPSession(message, on: easy, loop)
        self.session = session
        try await session.run(until: deadline).get()
    }

    /// Fails the pending work with `closed`.
    func close() {
        isClosed = true
        session?.end(.failure(SMTPError(.closed)))
        multi.close()
    }

    // MARK: Errors

    private func error(_ code: CURLcode) -> SMTPError {
        let reply = easy.responseCode
        let detail = easy.text(of: code)
        switch code {
        case CURLE_LOGIN_DENIED:
            // The reply's text is left out: a server may repeat the credentials in it.
            let isPassing = (400..<500).contains(reply)
            return SMTPError(
                isPassing ? .refused(.authentication, reply: reply) : .authentication,
                "\(detail): \(reply)")
        case CURLE_WEIRD_SERVER_REPLY where reply >= 400,
            CURLE_REMOTE_ACCESS_DENIED where reply >= 400:
            return SMTPError(.refused(.connection, reply: reply), "\(detail): \(lastReply)")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
            return SMTPError(.unreachable, detail)
        case CURLE_OPERATION_TIMEDOUT: return SMTPError(.timedOut, detail)
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR:
            return SMTPError(.tls, detail)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN:
            return SMTPError(.unsupported, detail)
        default: return SMTPError(.interrupted, detail)
        }
    }
}
