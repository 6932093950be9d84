import CZlib
import Synchronization

/// The content coding gzip (RFC 9110 §8.4.1.3). One zlib stream is used again and again, because
/// making a stream takes longer than compressing a page.
public final class Gzip: Sendable {
    private let level: Int
    /// Compresses one body at a time. Each loop has its own `Gzip`, so that no loop waits for
    /// another.
    private let stream = Mutex<Stream?>(nil)

    /// - Parameter level: From 1 (fastest) to 9 (smallest).
    public init(level: Int) {
        self.level = level
    }

    /// - Returns: `nil` if there is not enough memory.
    public func compress(_ bytes: [UInt8]) -> [UInt8]? {
        stream.withLock { stream in
            if stream == nil { stream = Stream(level: level) }
            return stream?.compress(bytes)
        }
    }

    /// A zlib stream at a fixed address, because its internal state refers back to it.
    private final class Stream {
        private let stream: UnsafeMutablePointer<z_stream>

        init?(level: Int) {
            stream = .allocate(capacity: 1)
            stream.initialize(to: z_stream())
            // The macro deflateInit2 calls this function. Adding 16 to the window size asks for a
            // gzip header.
            let status = deflateInit2_(
                stream, Int32(level), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            // From here on `deinit` ends the stream. Ending an uninitialized stream does nothing.
            guard status == Z_OK else { return nil }
        }

        deinit {
            deflateEnd(stream)
            stream.deallocate()
        }

        func compress(_ bytes: [UInt8]) -> [UInt8]? {
            guard deflateReset(stream) == Z_OK else { return nil }
            let bound = Int(deflateBound(stream, UInt(bytes.count)))
            var isComplete = false
            let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                bytes.withUnsafeBufferPointer { input in
                    // zlib only reads the input, but its header doesn't declare that as const.
                    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    // One call is enough when the output has as much room as deflateBound asks for.
                    isComplete = deflate(stream, Z_FINISH) == Z_STREAM_END
                }
                count = bound - Int(stream.pointee.avail_out)
            }
            return isComplete ? compressed : nil
        }
    }
}
