import HTTPTypes

extension RequestError.Code {
    /// The status and the sentence for each code.
    var answer: (status: HTTPResponse.Status, sentence: String) {
        switch self {
        case .bareLineFeed: (.badRequest, "A line ends with LF alone instead of CRLF.")
        case .bareCarriageReturn: (.badRequest, "A CR is not followed by LF.")
        case .tooManyEmptyLines: (.badRequest, "Too many empty lines precede the request line.")

        case .requestLineTooLong: (.uriTooLong, "The request line is too long.")
        case .malformedRequestLine:
            (.badRequest, "The request line is not a method, a target and a version.")
        case .invalidMethod: (.badRequest, "The method is not a token.")
        case .methodTooLong: (.notImplemented, "No method with such a long name is implemented.")
        case .methodNotSupported:
            (.notImplemented, "CONNECT is not implemented: this is not a proxy.")
        case .missingVersion: (.badRequest, "The request line has no HTTP version.")
        case .malformedVersion: (.badRequest, "The HTTP version is not of the form HTTP/1.1.")
        case .unsupportedVersion:
            (.httpVersionNotSupported, "The server speaks HTTP/1.1 and HTTP/1.0 only.")

        case .invalidTarget: (.badRequest, "The request target has none of the four known forms.")
        case .invalidTargetCharacter:
            (.badRequest, "The request target has a character that must be percent-encoded.")
        case .fragmentInTarget: (.badRequest, "The request target has a fragment.")
        case .unsupportedScheme:
            (.badRequest, "The scheme of the request target is neither http nor https.")
        case .userInformationInTarget: (.badRequest, "The request target has user information.")
        case .invalidAuthority: (.badRequest, "The authority in the request target is invalid.")
        case .asteriskWithoutOptions:
            (.badRequest, "The request target * is for OPTIONS requests only.")
        case .escapedSeparator: (.badRequest, "The path contains an escaped slash or backslash.")
        case .escapedControlCharacter:
            (.badRequest, "The path contains an escaped control character.")
        case .dotSegment: (.badRequest, "The path contains a segment . or .. that leads elsewhere.")

        case .malformedEscape:
            (.badRequest, "A percent sign is not followed by two hexadecimal digits.")
        case .escapedNull: (.badRequest, "A NUL character is not allowed here.")
        case .invalidUTF8: (.badRequest, "The decoded text is not UTF-8.")
        case .malformedMultipart:
            (.badRequest, "The form with the file is malformed.")
        case .tooManyFormItems: (.badRequest, "The form or query has too many items.")

        case .headerTooLarge: (.requestHeaderFieldsTooLarge, "The header is too large.")
        case .tooManyFields: (.requestHeaderFieldsTooLarge, "The header has too many fields.")
        case .obsoleteFolding:
            (.badRequest, "A header line begins with white space, which is no longer allowed.")
        case .missingColon: (.badRequest, "A header line has no colon.")
        case .whiteSpaceBeforeColon:
            (.badRequest, "There is white space between a field name and its colon.")
        case .invalidFieldName: (.badRequest, "A field name is not a token.")
        case .invalidFieldValue: (.badRequest, "A field value contains a control character.")

        case .missingHost: (.badRequest, "The Host field is missing.")
        case .repeatedHost: (.badRequest, "There is more than one Host field.")
        case .invalidHost: (.badRequest, "The Host field is not a host with an optional port.")
        case .invalidContentLength: (.badRequest, "Content-Length is not a decimal number.")
        case .repeatedContentLength: (.badRequest, "There is more than one Content-Length field.")
        case .contentLengthWithTransferEncoding:
            (.badRequest, "Content-Length and Transfer-Encoding can't be combined.")
        case .transferEncodingBeforeHTTP11:
            (.badRequest, "Transfer-Encoding is not allowed in HTTP/1.0.")
        case .invalidTransferEncoding:
            (.badRequest, "Transfer-Encoding is not a list of transfer codings.")
        case .unsupportedTransferCoding:
            (.notImplemented, "The only transfer coding implemented is chunked.")
        case .chunkedNotLast: (.badRequest, "The transfer coding chunked is not the last one.")
        case .repeatedChunked: (.badRequest, "The transfer coding chunked is applied twice.")
        case .unknownExpectation:
            (.expectationFailed, "The Expect field must be 100-continue.")
        case .invalidEntityTags:
            (.badRequest, "If-Match or If-None-Match is neither * nor a list of entity tags.")

        case .bodyTooLarge: (.contentTooLarge, "The body is too large.")
        case .invalidChunkSize: (.badRequest, "A chunk size is not a hexadecimal number.")
        case .chunkSizeTooLong: (.badRequest, "A chunk size has too many digits.")
        case .invalidChunkExtension: (.badRequest, "A chunk extension is malformed.")
        case .chunkExtensionsTooLong: (.badRequest, "The chunk extensions are too long.")
        case .missingChunkEnd: (.badRequest, "The data of a chunk is not followed by CRLF.")
        case .trailersTooLarge:
            (.requestHeaderFieldsTooLarge, "The trailer fields are too large.")
        }
    }
}
