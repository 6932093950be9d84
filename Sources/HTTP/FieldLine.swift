import Encodings

/// One field line, split into name and value (RFC 9112 §5).
struct FieldLine: ~Escapable {
    /// A token of at least one character.
    let name: Bytes
    /// Without the white space around it and without control characters. May be empty.
    let value: Bytes
    /// From the name's first byte to the value's last one.
    let whole: Bytes

    /// Splits a line, which must be passed without its CRLF and must not be empty.
    @_lifetime(copy line)
    @inline(__always)
    init(_ line: Bytes) throws(RequestError) {
        var nameEnd = 0
        let token = ByteSet.token
        while nameEnd < line.count, token.contains(line[nameEnd]) { nameEnd &+= 1 }
        guard nameEnd > 0, nameEnd < line.count, line[nameEnd] == .colon else {
            throw Self.nameError(line, at: nameEnd)
        }
        let value = line.part(from: nameEnd &+ 1)
        if value.holdsControl {
            let isBareReturn = value.contains(.carriageReturn)
            throw RequestError(isBareReturn ? .bareCarriageReturn : .invalidFieldValue)
        }
        var start = nameEnd &+ 1
        var end = line.count
        while start < end, line[start].isWhiteSpace { start &+= 1 }
        while start < end, line[end &- 1].isWhiteSpace { end &-= 1 }
        self.name = line.part(0, nameEnd)
        self.value = line.part(start, end)
        whole = line.part(0, end)
    }

    /// The error for a line that has no colon at `position`, where its name ends.
    @inline(never)
    private static func nameError(_ line: Bytes, at position: Int) -> RequestError {
        guard position < line.count else { return RequestError(.missingColon) }
        switch line[position] {
        case .carriageReturn:
            return RequestError(.bareCarriageReturn)
        case .space, .tab:
            if position == 0 { return RequestError(.obsoleteFolding) }
            let next = line.part(from: position).trimmed.first
            return RequestError(next == .colon ? .whiteSpaceBeforeColon : .invalidFieldName)
        default:
            return RequestError(.invalidFieldName)
        }
    }
}
