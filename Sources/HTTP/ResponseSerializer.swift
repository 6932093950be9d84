import HTTPTypes

/// Writes responses as HTTP/1.1 messages (RFC 9112).
public enum ResponseSerializer {
    /// Appends the whole message to `buffer`.
    ///
    /// Date, Content-Length and Connection are written here and nowhere else; what the response
    /// has of these, and of Transfer-Encoding, is left out, so that it can't contradict the
    /// framing. An interim response (1xx) is its status line and its own fields only.
    ///
    /// - Parameters:
    ///   - forHEAD: Whether the request's method was HEAD: the length is told, the body left out.
    ///   - minorVersion: The request's. The response is HTTP/1.1 all the same (RFC 9110 §6.2).
    ///   - keepsAlive: Whether the connection stays open after the response.
    ///   - date: The time of the response as an IMF-fixdate.
    public static func append(
        _ response: Response, to buffer: inout [UInt8], forHEAD: Bool, minorVersion: Int,
        keepsAlive: Bool, date: [UInt8]
    ) {
        date.withUnsafeBufferPointer { date in
            append(
                response, to: &buffer, forHEAD: forHEAD, minorVersion: minorVersion,
                keepsAlive: keepsAlive, date: date)
        }
    }

    /// Appends the whole message to `buffer`, as above.
    public static func append(
        _ response: Response, to buffer: inout [UInt8], forHEAD: Bool, minorVersion: Int,
        keepsAlive: Bool, date: String
    ) {
        var date = date
        date.withUTF8 { date in
            append(
                response, to: &buffer, forHEAD: forHEAD, minorVersion: minorVersion,
                keepsAlive: keepsAlive, date: date)
        }
    }

    @inline(__always)
    private static func append(
        _ response: Response, to buffer: inout [UInt8], forHEAD: Bool, minorVersion: Int,
        keepsAlive: Bool, date: Bytes
    ) {
        let code = response.status.code
        let isInterim = code < 200
        StatusLine.append(response.status, to: &buffer)
        for field in response.headerFields where !isOurs(field.name) {
            append(field, to: &buffer)
        }
        guard !isInterim else { return buffer.append(literal: "\r\n") }

        buffer.append(literal: "Date: ")
        buffer.append(contentsOf: date)
        // RFC 9110 §8.6: never in 204. In 304 it would be the length of what isn't sent.
        let hasContent = code != 204 && code != 304
        if hasContent {
            buffer.append(literal: "\r\nContent-Length: ")
            append(decimal: response.body.count, to: &buffer)
        }
        if !keepsAlive {
            buffer.append(literal: "\r\nConnection: close\r\n\r\n")
        } else if minorVersion == 0 {
            // RFC 9112 §9.3: an HTTP/1.0 client has to be told.
            buffer.append(literal: "\r\nConnection: keep-alive\r\n\r\n")
        } else {
            buffer.append(literal: "\r\n\r\n")
        }
        if hasContent, !forHEAD { buffer.append(contentsOf: response.body) }
    }

    /// `HTTPField` has replaced CR, LF and NUL in its value by spaces, and its name is a token;
    /// a value that could end the line all the same is dropped (RFC 9110 §5.5).
    @inline(__always)
    private static func append(_ field: HTTPField, to buffer: inout [UInt8]) {
        field.withUnsafeBytesOfValue { value in
            guard !value.holdsControl else { return }
            var name = field.name.rawName
            name.withUTF8 { buffer.append(contentsOf: $0) }
            buffer.append(literal: ": ")
            buffer.append(contentsOf: value)
            buffer.append(literal: "\r\n")
        }
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

    @inline(__always)
    private static func append(decimal value: Int, to buffer: inout [UInt8]) {
        var divisor = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
