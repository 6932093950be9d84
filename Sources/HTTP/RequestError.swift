import HTTPTypes

/// Why a request, or a part of it, is rejected.
///
/// After a parser has thrown one of these, the server can only answer with `status` and close the
/// connection, because it is unknown where the next message begins (RFC 9112 §9.3, §11.2).
public struct RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    /// The status to answer with.
    public var status: HTTPResponse.Status { code.answer.status }

    /// One sentence that says what is wrong. It contains nothing from the request itself.
    public var description: String { code.answer.sentence }
}

extension RequestError {
    /// What exactly is wrong.
    public enum Code: Sendable, Hashable, CaseIterable {
        // Lines (RFC 9112 §2.2)
        case bareLineFeed
        case bareCarriageReturn
        case tooManyEmptyLines

        // The request line (RFC 9112 §3)
        case requestLineTooLong
        case malformedRequestLine
        case invalidMethod
        case methodTooLong
        case methodNotSupported
        case missingVersion
        case malformedVersion
        case unsupportedVersion

        // The request target (RFC 9112 §3.2, RFC 3986)
        case invalidTarget
        case invalidTargetCharacter
        case fragmentInTarget
        case unsupportedScheme
        case userInformationInTarget
        case invalidAuthority
        case asteriskWithoutOptions
        case escapedSeparator
        case escapedControlCharacter
        case dotSegment

        // Escapes, in targets and forms
        case malformedEscape
        case escapedNull
        case invalidUTF8
        case tooManyFormItems
        case malformedMultipart

        // Field lines (RFC 9112 §5)
        case headerTooLarge
        case tooManyFields
        case obsoleteFolding
        case missingColon
        case whiteSpaceBeforeColon
        case invalidFieldName
        case invalidFieldValue

        // Fields that framing and routing depend on
        case missingHost
        case repeatedHost
        case invalidHost
        case invalidContentLength
        case repeatedContentLength
        case contentLengthWithTransferEncoding
        case transferEncodingBeforeHTTP11
        case invalidTransferEncoding
        case unsupportedTransferCoding
        case chunkedNotLast
        case repeatedChunked
        case unknownExpectation
        case invalidEntityTags

        // The body (RFC 9112 §7.1)
        case bodyTooLarge
        case invalidChunkSize
        case chunkSizeTooLong
        case invalidChunkExtension
        case chunkExtensionsTooLong
        case missingChunkEnd
        case trailersTooLarge
    }
}
