import Encodings
import HTTPTypes

/// Status lines (RFC 9112 §4), ready-made for the statuses that are used.
enum StatusLine {
    /// Appends the status line with its CRLF. A ready-made line has the registered reason phrase
    /// instead of the given one, since no client may rely on the phrase.
    @inline(__always)
    static func append(_ status: HTTPResponse.Status, to buffer: inout [UInt8]) {
        if let ready = ready(status.code) {
            buffer.append(literal: ready)
        } else {
            appendOther(status, to: &buffer)
        }
    }

    @inline(never)
    private static func appendOther(_ status: HTTPResponse.Status, to buffer: inout [UInt8]) {
        buffer.append(literal: "HTTP/1.1 ")
        for divisor in [100, 10, 1] {
            buffer.append(0x30 + UInt8(truncatingIfNeeded: status.code / divisor % 10))
        }
        // RFC 9112 §4: the space stays even before an empty phrase.
        buffer.append(.space)
        // The type guarantees valid characters, but in Latin-1 rather than UTF-8, so everything but
        // printable ASCII is dropped.
        buffer.append(contentsOf: status.reasonPhrase.utf8.filter { $0 < 0x7F && $0 >= 0x20 })
        buffer.append(literal: "\r\n")
    }

    private static func ready(_ code: Int) -> StaticString? {
        switch code {
        case 100: "HTTP/1.1 100 Continue\r\n"
        case 200: "HTTP/1.1 200 OK\r\n"
        case 201: "HTTP/1.1 201 Created\r\n"
        case 202: "HTTP/1.1 202 Accepted\r\n"
        case 204: "HTTP/1.1 204 No Content\r\n"
        case 301: "HTTP/1.1 301 Moved Permanently\r\n"
        case 302: "HTTP/1.1 302 Found\r\n"
        case 303: "HTTP/1.1 303 See Other\r\n"
        case 304: "HTTP/1.1 304 Not Modified\r\n"
        case 307: "HTTP/1.1 307 Temporary Redirect\r\n"
        case 308: "HTTP/1.1 308 Permanent Redirect\r\n"
        case 400: "HTTP/1.1 400 Bad Request\r\n"
        case 401: "HTTP/1.1 401 Unauthorized\r\n"
        case 403: "HTTP/1.1 403 Forbidden\r\n"
        case 404: "HTTP/1.1 404 Not Found\r\n"
        case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
        case 406: "HTTP/1.1 406 Not Acceptable\r\n"
        case 408: "HTTP/1.1 408 Request Timeout\r\n"
        case 409: "HTTP/1.1 409 Conflict\r\n"
        case 410: "HTTP/1.1 410 Gone\r\n"
        case 412: "HTTP/1.1 412 Precondition Failed\r\n"
        case 413: "HTTP/1.1 413 Content Too Large\r\n"
        case 414: "HTTP/1.1 414 URI Too Long\r\n"
        case 415: "HTTP/1.1 415 Unsupported Media Type\r\n"
        case 417: "HTTP/1.1 417 Expectation Failed\r\n"
        case 421: "HTTP/1.1 421 Misdirected Request\r\n"
        case 422: "HTTP/1.1 422 Unprocessable Content\r\n"
        case 428: "HTTP/1.1 428 Precondition Required\r\n"
        case 429: "HTTP/1.1 429 Too Many Requests\r\n"
        case 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n"
        case 500: "HTTP/1.1 500 Internal Server Error\r\n"
        case 501: "HTTP/1.1 501 Not Implemented\r\n"
        case 502: "HTTP/1.1 502 Bad Gateway\r\n"
        case 503: "HTTP/1.1 503 Service Unavailable\r\n"
        case 504: "HTTP/1.1 504 Gateway Timeout\r\n"
        case 505: "HTTP/1.1 505 HTTP Version Not Supported\r\n"
        default: nil
        }
    }
}
