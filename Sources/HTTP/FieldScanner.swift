import Encodings

/// Reads the parts of field values, one after another (RFC 9110 §5.6).
///
/// Each method moves past what it has read. If there is nothing to read, it doesn't move.
struct FieldScanner: ~Escapable {
    private let bytes: Bytes
    private(set) var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Bytes) {
        self.bytes = bytes
    }

    /// Calls `body` with a scanner over a value.
    static func scanning<Result>(
        _ value: some StringProtocol, _ body: (inout FieldScanner) -> Result
    ) -> Result {
        let value = String(value)
        var scanner = FieldScanner(value.utf8Span.span)
        return body(&scanner)
    }

    var isAtEnd: Bool { position == bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func skipWhiteSpace() {
        while let next, next.isWhiteSpace { position += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// The elements up to the end, without the empty ones (RFC 9110 §5.6.1.2); `nil` when one is
    /// malformed.
    mutating func list<Element>(
        _ element: (inout FieldScanner) -> Element?
    ) -> [Element]? {
        var elements: [Element] = []
        while true {
            skipWhiteSpace()
            if let next, next != .comma {
                guard let element = element(&self) else { return nil }
                elements.append(element)
                skipWhiteSpace()
            }
            if isAtEnd { return elements }
            guard skip(.comma) else { return nil }
        }
    }

    mutating func token() -> String? {
        take(while: ByteSet.token.contains)
    }

    /// The next bytes that satisfy `isPart`, as text; `nil` if there are none.
    mutating func take(while isPart: (UInt8) -> Bool) -> String? {
        var end = position
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        guard end > position else { return nil }
        defer { position = end }
        return bytes.part(position, end).repairedText
    }

    /// A quoted string without its quotes and escaping backslashes (RFC 9110 §5.6.4).
    mutating func quotedString() -> String? {
        guard next == .quote else { return nil }
        var text: [UInt8] = []
        var index = position + 1
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == .quote {
                position = index
                return String(decoding: text, as: UTF8.self)
            }
            if byte == .backslash {
                guard index < bytes.count else { return nil }
                byte = bytes[index]
                index += 1
            }
            guard !byte.isControl else { return nil }
            text.append(byte)
        }
        return nil
    }

    /// `*( OWS ";" OWS [ parameter ] )` of RFC 9110 §5.6.6, with names in lower case; `nil` when a
    /// parameter is malformed.
    mutating func parameters() -> [MediaType.Parameter]? {
        var parameters: [MediaType.Parameter] = []
        while true {
            skipWhiteSpace()
            guard skip(.semicolon) else { return parameters }
            skipWhiteSpace()
            guard let name = token() else { continue }
            guard skip(.equals), let value = token() ?? quotedString() else { return nil }
            parameters.append(MediaType.Parameter(name: name.lowercased(), value: value))
        }
    }
}
