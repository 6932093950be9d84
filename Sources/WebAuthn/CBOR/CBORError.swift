/// Why bytes are not the CBOR that we accept.
enum CBORError: Error, Hashable {
    /// The bytes end too early, or a declared length is greater than what remains of them.
    case truncated
    case trailingBytes
    case nestedTooDeep
    /// A string, an array or a map does not declare its length in advance.
    case indefiniteLength
    /// An integer or a length takes more bytes than it needs.
    case notShortest
    /// An integer does not fit into 64 bits with a sign.
    case integerTooLarge
    case notUTF8
    case duplicateKey
    /// A map's key is neither an integer nor a text.
    case unsupportedKey
    /// A tag, a floating-point number, or a simple value other than false, true and null.
    case unsupportedValue
}
