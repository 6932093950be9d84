import CLibDeflate

/// Reads gzip, to see what a client would.
public enum Gunzip {
    /// - Throws: If it is not one whole gzip member.
    public static func decompress(_ bytes: [UInt8], limit: Int = 10_000_000) throws -> [UInt8] {
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw TestFailure("libdeflate_alloc_decompressor")
        }
        defer { libdeflate_free_decompressor(decompressor) }
        var read = 0
        var result = LIBDEFLATE_SUCCESS
        let output = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            result = libdeflate_gzip_decompress_ex(
                decompressor, bytes, bytes.count, output.baseAddress, limit, &read, &count)
            if result != LIBDEFLATE_SUCCESS { count = 0 }
        }
        guard result == LIBDEFLATE_SUCCESS, read == bytes.count else {
            throw TestFailure("this is no gzip: \(result)")
        }
        return output
    }
}
