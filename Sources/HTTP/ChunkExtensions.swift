/// The grammar of chunk extensions (RFC 9112 §7.1.1). None is supported, but all must be
/// well-formed.
enum ChunkExtensions {
    /// `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )`.
    static func areValid(_ bytes: Bytes) -> Bool {
        var scanner = FieldScanner(bytes)
        while !scanner.isAtEnd {
            scanner.skipWhiteSpace()
            guard scanner.skip(.semicolon) else { return false }
            scanner.skipWhiteSpace()
            guard scanner.token() != nil else { return false }
            let nameEnd = scanner
            scanner.skipWhiteSpace()
            guard scanner.skip(.equals) else {
                scanner = nameEnd
                continue
            }
            scanner.skipWhiteSpace()
            guard scanner.token() ?? scanner.quotedString() != nil else { return false }
        }
        return true
    }
}
