public import HTTPTypes

/// Why a request, or a part of it, is rejected.
///
/// After a parser has thrown one of these, the server can only respond with `status` and close the
/// connection, because it is unknown where the next message begins (RFC 9112 §9.3, §11.2).
public struct RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    /// The status to respond with.
    public var status: HTTPResponse.Status { code.status }

    /// One sentence that says what is wrong. It contains nothing from the request itself.
    public var description: String { code.rawValue }
}

extension RequestError {
    /// The exact errors, each with its sentence.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // Lines (RFC 9112 §2.2)
        case bareLineFeed = "A line ends with LF alone instead of CRLF."
        case bareCarriageReturn = "A CR is not followed by LF."
        case tooManyEmptyLines = "Too many empty lines precede the request line."

        // The request line (RFC 9112 §3)
        case requestLineTooLong = "The request line is too long."
        case malformedRequestLine = "The request line is not a method, a target and a version."
        case invalidMethod = "The method is not a token."
        case methodTooLong = "No method with such a long name is implemented."
        case methodNotSupported = "CONNECT is not implemented: this is not a proxy."
        case missingVersion = "The request line has no HTTP version."
        case malformedVersion = "The HTTP version is not of the form HTTP/1.1."
        case unsupportedVersion = "The server speaks HTTP/1.1 and HTTP/1.0 only."

        // The request target (RFC 9112 §3.2, RFC 3986)
        case invalidTarget = "The request target has none of the four known forms."
        case invalidTargetCharacter =
            "The request target has a character that must be percent-encoded."
        case fragmentInTarget = "The request target has a fragment."
        case unsupportedScheme = "The scheme of the request target is neither http nor https."
        case userInformationInTarget = "The request target has user information."
        case invalidAuthority = "The authority in the request target is invalid."
        case asteriskWithoutOptions = "The request target * is for OPTIONS requests only."
        case escapedSeparator = "The path contains an escaped slash or backslash."
        case escapedControlCharacter = "The path contains an escaped control character."
        case dotSegment = "The path contains a segment . or .. that leads elsewhere."

        // Escapes, in targets and forms
        case malformedEscape = "A percent sign is not followed by two hexadecimal digits."
        case escapedNull = "A NUL character is not allowed here."
        case invalidUTF8 = "The decoded text is not UTF-8."
        case tooManyFormItems = "The form or query has too many items."
        case malformedMultipart = "The form with the file is malformed."

        // Field lines (RFC 9112 §5)
        case headerTooLarge = "The header is too large."
        case tooManyFields = "The header has too many fields."
        case obsoleteFolding = "A header line begins with white space, which is no longer allowed."
        case missingColon = "A header line has no colon."
        case whiteSpaceBeforeColon = "There is white space between a field name and its colon."
        case invalidFieldName = "A field name is not a token."
        case invalidFieldValue = "A field value contains a control character."

        // Fields that framing and routing depend on
        case missingHost = "The Host field is missing."
        case repeatedHost = "There is more than one Host field."
        case invalidHost = "The Host field is not a host with an optional port."
        case invalidContentLength = "Content-Length is not a decimal number."
        case repeatedContentLength = "There is more than one Content-Length field."
        case contentLengthWithTransferEncoding =
            "Content-Length and Transfer-Encoding can't be combined."
        case transferEncodingBeforeHTTP11 = "Transfer-Encoding is not allowed in HTTP/1.0."
        case invalidTransferEncoding = "Transfer-Encoding is not a list of transfer codings."
        case unsupportedTransferCoding = "The only transfer coding implemented is chunked."
        case chunkedNotLast = "The transfer coding chunked is not the last one."
        case repeatedChunked = "The transfer coding chunked is applied twice."
        case unknownExpectation = "The Expect field must be 100-continue."
        case invalidEntityTags = "If-Match or If-None-Match is neither * nor a list of entity tags."

        // The body (RFC 9112 §7.1)
        case bodyTooLarge = "The body is too large."
        case invalidChunkSize = "A chunk size is not a hexadecimal number."
        case chunkSizeTooLong = "A chunk size has too many digits."
        case invalidChunkExtension = "A chunk extension is malformed."
        case chunkExtensionsTooLong = "The chunk extensions are too long."
        case missingChunkEnd = "The data of a chunk is not followed by CRLF."
        case trailersTooLarge = "The trailer fields are too large."

        /// The status to respond with.
        var status: HTTPResponse.Status {
            switch self {
            case .requestLineTooLong: .uriTooLong
            case .methodTooLong, .methodNotSupported, .unsupportedTransferCoding: .notImplemented
            case .unsupportedVersion: .httpVersionNotSupported
            case .headerTooLarge, .tooManyFields, .trailersTooLarge: .requestHeaderFieldsTooLarge
            case .unknownExpectation: .expectationFailed
            case .bodyTooLarge: .contentTooLarge
            default: .badRequest
            }
        }
    }
}
