import Encodings

/// Decodes a body in the chunked transfer coding (RFC 9112 §7.1).
struct ChunkedBody {
    private enum Phase {
        case size
        case data(missing: Int)
        case dataEnd
        case trailers
    }

    /// Fifteen hexadecimal digits always fit into an `Int`, and no chunk's size needs more.
    private static let maximumSizeDigits = 15

    private var phase = Phase.size
    private var scanner = LineScanner()
    private var extensionBytes = 0
    private var trailerBytes = 0

    /// Continues decoding, and appends data to `body`. Returns how much of the input was consumed,
    /// and whether the body and its trailers are complete.
    ///
    /// Trailer fields are checked and dropped: no trailer field that we know of is defined for
    /// requests (RFC 9110 §6.5.1).
    mutating func read(
        _ input: Bytes, into body: inout [UInt8], atMost bodyBytes: Int, limits: ParserLimits
    ) throws(RequestError) -> (consumed: Int, isComplete: Bool) {
        var offset = 0
        while offset < input.count {
            let rest = input.part(from: offset)
            switch phase {
            case .size:
                let room = bodyBytes - body.count
                guard let length = try readSize(rest, room: room, limits: limits) else {
                    return (offset, false)
                }
                offset += length
            case .data(let missing):
                let taken = min(missing, rest.count)
                body.append(copying: rest.part(0, taken))
                phase = taken == missing ? .dataEnd : .data(missing: missing - taken)
                offset += taken
            case .dataEnd:
                guard rest[0] == .carriageReturn else { throw RequestError(.missingChunkEnd) }
                guard rest.count > 1 else { return (offset, false) }
                guard rest[1] == .lineFeed else { throw RequestError(.missingChunkEnd) }
                phase = .size
                offset += 2
            case .trailers:
                let limit = limits.trailerBytes - trailerBytes
                let found = try scanner.line(in: rest, limit: limit, excess: .trailersTooLarge)
                guard let length = found else { return (offset, false) }
                offset += length
                guard length > 2 else { return (offset, true) }
                trailerBytes += length
                _ = try FieldLine(rest.part(0, length - 2))
            }
        }
        return (offset, false)
    }

    /// Reads `chunk-size [ chunk-ext ] CRLF` and returns its length; `nil` if its end hasn't
    /// arrived.
    private mutating func readSize(
        _ rest: Bytes, room: Int, limits: ParserLimits
    ) throws(RequestError) -> Int? {
        var size = 0
        var digits = 0
        while digits < rest.count, let value = Hexadecimal.value(of: rest[digits]) {
            size = size << 4 | Int(value)
            digits += 1
            guard digits <= Self.maximumSizeDigits else { throw RequestError(.chunkSizeTooLong) }
        }
        guard digits < rest.count else { return nil }
        guard digits > 0 else { throw RequestError(.invalidChunkSize) }

        let limit = digits + limits.chunkExtensionBytes - extensionBytes + 2
        let found = try scanner.line(in: rest, limit: limit, excess: .chunkExtensionsTooLong)
        guard let length = found else { return nil }
        let extensions = rest.part(digits, length - 2)
        if !extensions.isEmpty {
            guard ChunkExtensions.areValid(extensions) else {
                let isName = extensions[0] != .semicolon && !extensions[0].isWhiteSpace
                throw RequestError(isName ? .invalidChunkSize : .invalidChunkExtension)
            }
            extensionBytes += extensions.count
        }
        guard size <= room else { throw RequestError(.bodyTooLarge) }
        phase = size == 0 ? .trailers : .data(missing: size)
        return length
    }
}
