/// Encodes CBOR piece by piece, so that a test can put together whatever it likes, right or wrong.
enum CBOR {
    static func int(_ value: Int) -> [UInt8] {
        value < 0 ? head(1, -1 - value) : head(0, value)
    }

    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    static func array(_ elements: [[UInt8]]) -> [UInt8] {
        head(4, elements.count) + elements.joined()
    }

    static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { $0 + $1 }
    }

    static let emptyMap: [UInt8] = [0xA0]

    /// The initial byte and a length or a value, in the shortest form.
    static func head(_ majorType: UInt8, _ value: Int) -> [UInt8] {
        let top = majorType << 5
        switch value {
        case ..<24: return [top | UInt8(value)]
        case ..<0x100: return [top | 24, UInt8(value)]
        case ..<0x10000: return [top | 25] + UInt16(value).bigEndianBytes
        case ..<0x1_0000_0000: return [top | 26] + UInt32(value).bigEndianBytes
        default: return [top | 27] + UInt64(value).bigEndianBytes
        }
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
