/// Reads an array of bytes from its beginning, and never beyond its end.
struct ByteReader {
    let bytes: [UInt8]
    /// Where the next byte is read.
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - index }

    /// - Returns: `nil` at the end.
    mutating func byte() -> UInt8? {
        guard remaining > 0 else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// - Returns: `nil` if fewer bytes remain; none of them are consumed then.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= remaining else { return nil }
        defer { index += count }
        return Array(bytes[index..<(index + count)])
    }

    /// An unsigned integer, most significant byte first.
    ///
    /// - Returns: `nil` if fewer bytes remain than the integer has.
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type
    ) -> Value? {
        take(Value.bitWidth / 8)?.reduce(0) { $0 << 8 | Value($1) }
    }
}
