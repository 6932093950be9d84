import CZlib

/// Reads gzip, to see what a client would.
public enum Gunzip {
    /// - Throws: If it is not one whole gzip member.
    public static func decompress(_ bytes: [UInt8], limit: Int = 10_000_000) throws -> [UInt8] {
        var stream = z_stream()
        guard
            inflateInit2_(
                &stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw TestFailure("inflateInit2") }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: limit)
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else {
            throw TestFailure("this is no gzip: \(status)")
        }
        return Array(output.prefix(limit - Int(stream.avail_out)))
    }
}
