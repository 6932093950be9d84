import Encodings

/// Names one state of a resource's representation (RFC 9110 §8.8.3).
///
/// `==` tells whether two tags are written the same. To tell whether they match, use the strong or
/// the weak comparison.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    public let opaque: String
    public let isWeak: Bool

    /// `nil` when `opaque` holds a quote, white space or a control character.
    public init?(opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isOpaque) else { return nil }
        self.init(unchecked: opaque, isWeak: isWeak)
    }

    /// Makes a tag from bytes, such as a digest of the representation, in hexadecimal.
    public init(hexadecimal bytes: some Sequence<UInt8>, isWeak: Bool = false) {
        self.init(unchecked: Hexadecimal.encode(bytes), isWeak: isWeak)
    }

    /// Parses one tag, as in ETag; `nil` when it is malformed.
    public init?(parsing text: some StringProtocol) {
        let parsed = FieldScanner.scanning(text) { scanner -> EntityTag? in
            scanner.skipWhiteSpace()
            guard let tag = EntityTag(from: &scanner) else { return nil }
            scanner.skipWhiteSpace()
            return scanner.isAtEnd ? tag : nil
        }
        guard let parsed else { return nil }
        self = parsed
    }

    init?(from scanner: inout FieldScanner) {
        // RFC 9110 §8.8.3: the W is case-sensitive.
        let isWeak = scanner.skip(UInt8(ascii: "W"))
        if isWeak, !scanner.skip(.slash) { return nil }
        guard scanner.skip(.quote) else { return nil }
        let opaque = scanner.take(while: Self.isOpaque) ?? ""
        guard scanner.skip(.quote) else { return nil }
        self.init(unchecked: opaque, isWeak: isWeak)
    }

    private init(unchecked opaque: String, isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The tag as written in a header field.
    public var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// The strong comparison of RFC 9110 §8.8.3.2: byte for byte the same representation.
    public func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The weak comparison of RFC 9110 §8.8.3.2: an equivalent representation.
    public func weaklyMatches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// `etagc`.
    private static func isOpaque(_ byte: UInt8) -> Bool {
        byte >= 0x21 && byte != .quote && byte != 0x7F
    }
}
