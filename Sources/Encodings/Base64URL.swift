public import Foundation

/// Base64 for addresses and tokens: RFC 4648 section 5, without padding as in RFC 7515 section 2.
public enum Base64URL {
    /// Encodes byte by byte. Every ranking ends with a cursor, and encoding that with Foundation
    /// took longer than the rest of the response.
    @inlinable
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 2)
        var bits = 0
        var pending = 0
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(alphabet[bits >> pending & 63])
            }
            bits &= 63
        }
        if pending > 0 { text.append(alphabet[bits << (6 - pending) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` if the text is not what `encode` writes: if a byte is outside the alphabet,
    ///   if there is padding, or if bits that mean nothing are set (RFC 4648 section 3.5). So the
    ///   same bytes always have the same text, and nobody can change a token into a different text
    ///   with the same meaning.
    public static func decode(_ text: some Sequence<UInt8>) -> Data? {
        var bytes: [UInt8] = []
        var bits = 0
        var pending = 0
        for byte in text {
            let value = values[Int(byte)]
            guard value < 64 else { return nil }
            bits = bits << 6 | Int(value)
            pending += 6
            if pending >= 8 {
                pending -= 8
                bytes.append(UInt8(bits >> pending))
                bits &= (1 << pending) - 1
            }
        }
        // Six bits are left over by one character too many.
        guard pending < 6, bits == 0 else { return nil }
        return Data(bytes)
    }

    @usableFromInline static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte; 64 if it is outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
