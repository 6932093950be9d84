import Encodings
import HTTPTypes

/// Writes responses as HTTP/1.1 messages (RFC 9112).
public enum ResponseSerializer {
    /// Appends the whole message to `buffer`, but without its body if the request's method was
    /// HEAD.
    public static func append(
        _ response: Response, to buffer: inout [UInt8], forHEAD: Bool, minorVersion: Int,
        keepsAlive: Bool, date: [UInt8]
    ) {
        appendHead(
            of: response, to: &buffer, minorVersion: minorVersion, keepsAlive: keepsAlive,
            date: date)
        if hasContent(response), !forHEAD { buffer.append(contentsOf: response.body) }
    }

    /// Appends the message to `buffer` up to its body.
    ///
    /// Only this method writes Date, Content-Length and Connection. If the response has any of
    /// these, or Transfer-Encoding, among its own fields, they are left out, so that they can't
    /// contradict the framing. An interim response (1xx) consists only of its status line and its
    /// own fields.
    ///
    /// - Parameters:
    ///   - minorVersion: The request's minor version. The response is HTTP/1.1 regardless (RFC 9110
    ///     §6.2).
    ///   - keepsAlive: Whether the connection stays open after the response.
    ///   - date: The time of the response as an IMF-fixdate.
    public static func appendHead(
        of response: Response, to buffer: inout [UInt8], minorVersion: Int, keepsAlive: Bool,
        date: [UInt8]
    ) {
        StatusLine.append(response.status, to: &buffer)
        for field in response.headerFields { append(field, to: &buffer) }
        if let written = response.writtenFields { buffer.append(contentsOf: written.lines) }
        if let status = response.cacheStatus { buffer.append(contentsOf: status.lines) }
        if let id = response.requestID { append(requestID: id.utf8Span.span, to: &buffer) }
        guard response.status.code >= 200 else { return buffer.append(literal: "\r\n") }

        buffer.append(literal: "Date: ")
        buffer.append(contentsOf: date)
        if hasContent(response) {
            buffer.append(literal: "\r\nContent-Length: ")
            buffer.append(decimal: response.body.count)
        }
        if !keepsAlive {
            buffer.append(literal: "\r\nConnection: close\r\n\r\n")
        } else if minorVersion == 0 {
            // RFC 9112 §9.3: an HTTP/1.0 client needs this field to know that the connection stays
            // open.
            buffer.append(literal: "\r\nConnection: keep-alive\r\n\r\n")
        } else {
            buffer.append(literal: "\r\n\r\n")
        }
    }

    /// Whether a response has content and a Content-Length. RFC 9110 §8.6: a 204 never has a
    /// length, and with a 304 it would be the length of what isn't sent.
    public static func hasContent(_ response: Response) -> Bool {
        let code = response.status.code
        return code >= 200 && code != 204 && code != 304
    }

    /// Appends a field's line, unless the field is one of those that `appendHead` leaves out.
    ///
    /// `HTTPField` has replaced CR, LF and NUL in its value with spaces, and its name is a token.
    /// If a value could still end the line, the field is dropped (RFC 9110 §5.5).
    @inline(__always)
    static func append(_ field: HTTPField, to buffer: inout [UInt8]) {
        guard !isOurs(field.name) else { return }
        unsafe field.withUnsafeBytesOfValue { value in
            let value = unsafe value.span
            guard !value.holdsControl else { return }
            let name = field.name.rawName
            buffer.append(copying: name.utf8Span.span)
            buffer.append(literal: ": ")
            buffer.append(copying: value)
            buffer.append(literal: "\r\n")
        }
    }

    @inline(__always)
    private static func append(requestID: Bytes, to buffer: inout [UInt8]) {
        guard !requestID.holdsControl else { return }
        buffer.append(literal: "X-Request-ID: ")
        buffer.append(copying: requestID)
        buffer.append(literal: "\r\n")
    }

    @inline(__always)
    private static func isOurs(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName.utf8.count {
        case 4: name == .date
        case 10: name == .connection
        case 14: name == .contentLength
        case 17: name == .transferEncoding
        default: false
        }
    }
}
