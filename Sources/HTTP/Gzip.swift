import CZlib
import Synchronization

/// The content coding gzip (RFC 9110 §8.4.1.3), by a stream of zlib that is used again and again:
/// making one takes longer than to compress a page.
public final class Gzip: Sendable {
    private let level: Int
    /// One after the other; a loop has its own, so that none waits.
    private let stream = Mutex<Stream?>(nil)

    /// - Parameter level: From 1, quick, to 9, small.
    public init(level: Int) {
        self.level = level
    }

    /// - Returns: `nil` if there is no memory for it.
    public func compress(_ bytes: [UInt8]) -> [UInt8]? {
        stream.withLock { stream in
            if stream == nil { stream = Stream(level: level) }
            return stream?.compress(bytes)
        }
    }

    /// A stream at a place of its own, since its inner state refers to it.
    private final class Stream {
        private let stream: UnsafeMutablePointer<z_stream>

        init?(level: Int) {
            stream = .allocate(capacity: 1)
            stream.initialize(to: z_stream())
            // What the macro deflateInit2 calls; 16 on top of the window's size asks for gzip's
            // header.
            let status = deflateInit2_(
                stream, Int32(level), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            // From here on deinit ends it, which does nothing to one that was not begun.
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
                    // zlib only reads it; its header lacks the const.
                    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    // One call is enough for as much room as deflateBound asks for.
                    isComplete = deflate(stream, Z_FINISH) == Z_STREAM_END
                }
                count = bound - Int(stream.pointee.avail_out)
            }
            return isComplete ? compressed : nil
        }
    }
}
