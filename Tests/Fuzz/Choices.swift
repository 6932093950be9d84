/// An input read as a series of decisions, for what does not take bytes.
struct Choices {
    private var bytes: Slice<UnsafeRawBufferPointer>

    init(_ input: UnsafeRawBufferPointer) {
        bytes = input[...]
    }

    /// Whether the input has come to its end, after which every choice is the first.
    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    /// A number from 0 up to `count`, at most 256.
    mutating func index(below count: Int) -> Int {
        Int(byte()) % count
    }

    /// True for `parts` of 256 bytes.
    mutating func chance(_ parts: UInt8) -> Bool {
        byte() > UInt8.max - parts
    }

    mutating func integer() -> Int {
        var bits: UInt64 = 0
        for _ in 0..<8 { bits = bits << 8 | UInt64(byte()) }
        return Int(bitPattern: UInt(bits))
    }

    /// Everything that is left, as text; what is not UTF-8 is replaced.
    mutating func text() -> String {
        defer { bytes = bytes[bytes.endIndex...] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
