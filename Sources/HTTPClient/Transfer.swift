import CLibCurl
import Encodings
import HTTPTypes
import Transfers

/// One request that libcurl sends, and its response.
final class Transfer {
    let easy: EasyHandle
    private let maximumBytes: Int
    private let cutsBody: Bool
    private var headerFields = HTTPFields()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var isCut = false

    private static let maximumHeaderBytes = 65_536

    /// - Throws: `badRequest` if the request holds something that must not be passed to libcurl.
    init(_ request: ClientRequest) throws(HTTPClientError) {
        guard let easy = EasyHandle() else {
            throw HTTPClientError(.badRequest, detail: "out of memory")
        }
        self.easy = easy
        maximumBytes = request.maximumResponseBytes
        cutsBody = request.cutsResponse
        try configure(request)
    }

    private func configure(_ request: ClientRequest) throws(HTTPClientError) {
        let lowered = request.url.lowercased()
        guard lowered.hasPrefix("http://") || lowered.hasPrefix("https://"),
            request.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw HTTPClientError(.badRequest, detail: "the address is not http or https") }
        easy.set(CURLOPT_URL, request.url)
        if let path = request.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let mayConnect = request.mayConnect { easy.checkAddresses(mayConnect) }
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, 5000)
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // An empty string asks for all encodings that libcurl can decode.
        easy.set(CURLOPT_ACCEPT_ENCODING, "")
        easy.set(CURLOPT_USERAGENT, "fave-games")
        setMethod(request)
        try setFields(request.headerFields)
        // Unowned: the transfer owns the handle.
        easy.receivedBody = { [unowned self] in received($0) }
        easy.receivedHeader = { [unowned self] in receivedHeader($0) }
    }

    private func setFields(_ fields: HTTPFields) throws(HTTPClientError) {
        var lines: [String] = []
        for field in fields {
            // HTTPField replaces line ends with spaces; this check is for the day when it no longer
            // does.
            guard !field.value.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
                throw HTTPClientError(.badRequest, detail: "a line end in \(field.name)")
            }
            lines.append(
                field.value.isEmpty
                    ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        easy.set(CURLOPT_HTTPHEADER, lines)
    }

    private func setMethod(_ request: ClientRequest) {
        switch request.method {
        case .get: easy.set(CURLOPT_HTTPGET, 1)
        case .head: easy.set(CURLOPT_NOBODY, 1)
        default:
            easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            easy.setBody(request.body)
        }
    }

    /// - Returns: `false` to end the transfer.
    private func received(_ bytes: Span<UInt8>) -> Bool {
        guard body.count + bytes.count <= maximumBytes else {
            isTooLarge = true
            isCut = cutsBody
            if isCut { body.append(copying: bytes.part(0, maximumBytes - body.count)) }
            return false
        }
        body.append(copying: bytes)
        return true
    }

    private func receivedHeader(_ line: Span<UInt8>) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return false
        }
        if line.starts(with: "HTTP/") {
            // A new response begins, perhaps after an interim one.
            headerFields = HTTPFields()
        } else if let colon = line.position(of: UInt8(ascii: ":"), from: 0, before: line.count),
            let name = HTTPField.Name(line.part(0, colon).repairedText)
        {
            let value = line.part(from: colon + 1).repairedText
            headerFields.append(HTTPField(name: name, value: value.trimmingWhiteSpace()))
        }
        return true
    }

    /// The outcome of the transfer, once libcurl is done with it.
    func response(_ code: CURLcode) throws(HTTPClientError) -> ClientResponse {
        guard code == CURLE_OK || isCut && code == CURLE_WRITE_ERROR else { throw error(code) }
        let status = easy.responseCode
        guard (100...599).contains(status) else {
            throw HTTPClientError(.badResponse, detail: "\(status)")
        }
        return ClientResponse(
            status: HTTPResponse.Status(code: status), headerFields: headerFields, body: body)
    }

    private func error(_ code: CURLcode) -> HTTPClientError {
        let kind: HTTPClientError.Code =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            // Not CURLE_UNSUPPORTED_PROTOCOL: the scheme was checked before, so that code means a
            // response without a status line, which libcurl takes for HTTP/0.9.
            case CURLE_URL_MALFORMAT: .badRequest
            case CURLE_COULDNT_CONNECT where easy.hasRefusedAddress: .forbiddenAddress
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
                CURLE_SSL_CONNECT_ERROR:
                .unreachable
            case CURLE_PEER_FAILED_VERIFICATION: .untrusted
            case CURLE_WRITE_ERROR where isTooLarge: .responseTooLarge
            default: .badResponse
            }
        return HTTPClientError(kind, detail: code.text)
    }
}

extension String {
    fileprivate func trimmingWhiteSpace() -> String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
