import CLibCurl
import Glibc
import HTTPTypes
import Sockets

/// One request that libcurl sends, and its response.
final class Transfer {
    typealias Outcome = Result<ClientResponse, HTTPClientError>

    let easy: OpaquePointer
    private let maximumBytes: Int
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var headerFields = HTTPFields()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var resumption = Resumption<Outcome>()

    private static let maximumHeaderBytes = 65_536

    /// - Throws: `badRequest` if the request holds something that must not be passed to libcurl.
    init(_ request: ClientRequest) throws(HTTPClientError) {
        guard let easy = curl_easy_init() else {
            throw HTTPClientError(.badRequest, detail: "out of memory")
        }
        self.easy = OpaquePointer(easy)
        maximumBytes = request.maximumResponseBytes
        try configure(request)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
    }

    private var handle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(easy) }

    private func configure(_ request: ClientRequest) throws(HTTPClientError) {
        let lowered = request.url.lowercased()
        guard lowered.hasPrefix("http://") || lowered.hasPrefix("https://"),
            request.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw HTTPClientError(.badRequest, detail: "the address is not http or https") }
        let milliseconds = Int(request.timeout / .milliseconds(1))
        clibcurl_set_string(handle, CURLOPT_URL, request.url)
        if let path = request.unixSocket {
            clibcurl_set_string(handle, CURLOPT_UNIX_SOCKET_PATH, path)
        }
        clibcurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        clibcurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        clibcurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        clibcurl_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, milliseconds))
        clibcurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, min(milliseconds, 5000)))
        clibcurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // An empty string asks for all encodings that libcurl can decode.
        clibcurl_set_string(handle, CURLOPT_ACCEPT_ENCODING, "")
        clibcurl_set_string(handle, CURLOPT_USERAGENT, "fave-games")
        setMethod(request)
        for field in request.headerFields {
            // HTTPField replaces line ends with spaces; this check is for the day it no longer
            // does.
            guard !field.value.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
                throw HTTPClientError(.badRequest, detail: "a line end in \(field.name)")
            }
            let line =
                field.value.isEmpty
                ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
            fields = curl_slist_append(fields, line)
        }
        clibcurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        // Unretained: the client retains the transfer while libcurl uses it.
        let context = Unmanaged.passUnretained(self).toOpaque()
        clibcurl_set_pointer(handle, CURLOPT_PRIVATE, context)
        clibcurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        clibcurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        clibcurl_set_write(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.received(bytes, size * count) ?? 0
        }
        clibcurl_set_write(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.receivedHeader(bytes, size * count) ?? 0
        }
    }

    private func setMethod(_ request: ClientRequest) {
        switch request.method {
        case .get: clibcurl_set_long(handle, CURLOPT_HTTPGET, 1)
        case .head: clibcurl_set_long(handle, CURLOPT_NOBODY, 1)
        default:
            clibcurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            clibcurl_set_long(handle, CURLOPT_POSTFIELDSIZE, request.body.count)
            // libcurl copies the body, provided that the size was set first. One byte is appended,
            // because libcurl would read standard input if it were given NULL.
            var body = request.body + [0]
            clibcurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, &body)
        }
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: `count`; anything else makes libcurl end the transfer.
    private func received(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard body.count + count <= maximumBytes else {
            isTooLarge = true
            return 0
        }
        body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    private func receivedHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headerBytes += count
        guard headerBytes <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return 0
        }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        if line.starts(with: "HTTP/".utf8) {
            // A new response begins, perhaps after an interim one.
            headerFields = HTTPFields()
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        {
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            headerFields.append(HTTPField(name: name, value: value.trimmingWhiteSpace()))
        }
        return count
    }

    func start(_ continuation: UnsafeContinuation<Outcome, Never>) {
        resumption = Resumption(continuation)
    }

    /// Called when libcurl is done with the transfer.
    func completed(_ code: CURLcode) {
        switch code {
        case CURLE_OK:
            var status = 0
            clibcurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
            guard (100...599).contains(status) else {
                return finish(.failure(HTTPClientError(.badResponse, detail: "\(status)")))
            }
            finish(
                .success(
                    ClientResponse(
                        status: HTTPResponse.Status(code: status), headerFields: headerFields,
                        body: body)))
        default:
            finish(.failure(error(code)))
        }
    }

    private func error(_ code: CURLcode) -> HTTPClientError {
        let kind: HTTPClientError.Code =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            // Not CURLE_UNSUPPORTED_PROTOCOL: the scheme was checked before, so that code means a
            // response without a status line, which libcurl takes for HTTP/0.9.
            case CURLE_URL_MALFORMAT: .badRequest
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
                CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
                .unreachable
            case CURLE_WRITE_ERROR where isTooLarge: .responseTooLarge
            default: .badResponse
            }
        return HTTPClientError(kind, detail: String(cString: curl_easy_strerror(code)))
    }

    /// Only the first outcome counts.
    func finish(_ outcome: Outcome) {
        resumption.resume(returning: outcome)
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
