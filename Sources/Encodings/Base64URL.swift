import Foundation

/// Base64 for addresses and tokens: RFC 4648 section 5, without padding as in RFC 7515 section 2.
public enum Base64URL {
    /// Encodes byte by byte. Every ranking ends with a cursor, and encoding that with Foundation
    /// took longer than the rest of the answer.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
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

    /// - Returns: `nil` if any byte is outside the alphabet; padding is rejected, too.
    public static func decode(_ text: some Sequence<UInt8>) -> Data? {
        var base64: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: base64.append(byte)
            }
        }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(base64))
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
