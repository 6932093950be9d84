import CLibDeflate
import Synchronization

/// The content coding gzip (RFC 9110 §8.4.1.3), made by libdeflate. It takes three fifths of zlib's
/// time, and its output is smaller; it only takes whole bodies, and that is what responses are.
public final class Gzip: Sendable {
    private let level: Int
    /// Compresses one body at a time, and is used again and again. Each loop has its own `Gzip`, so
    /// that no loop waits for another.
    private let compressor = Mutex<Compressor?>(nil)

    /// - Parameter level: From 1 (fastest) to 12 (smallest).
    public init(level: Int) {
        self.level = level
    }

    /// - Returns: `nil` if there is not enough memory.
    public func compress(_ bytes: [UInt8]) -> [UInt8]? {
        compressor.withLock { compressor in
            if compressor == nil { compressor = Compressor(level: level) }
            return compressor?.compress(bytes)
        }
    }

    /// The memory that libdeflate works in.
    ///
    /// Safe: libdeflate reads and writes only what it is told the size of, and the object ends it once.
    @safe private final class Compressor {
        private let compressor: OpaquePointer

        init?(level: Int) {
            guard let compressor = unsafe libdeflate_alloc_compressor(Int32(level)) else {
                return nil
            }
            unsafe self.compressor = compressor
        }

        deinit { unsafe libdeflate_free_compressor(compressor) }

        func compress(_ bytes: [UInt8]) -> [UInt8]? {
            let bound = unsafe libdeflate_gzip_compress_bound(compressor, bytes.count)
            let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                // Returns 0 only if the output is larger than the bound.
                count = unsafe libdeflate_gzip_compress(
                    compressor, bytes, bytes.count, output.baseAddress, bound)
            }
            return compressed.isEmpty ? nil : compressed
        }
    }
}
