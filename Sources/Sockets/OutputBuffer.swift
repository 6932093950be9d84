/// Bytes on their way to the kernel. All streams of a loop share one buffer and use it in turn, so
/// that an idle connection holds no memory for what it once sent.
struct OutputBuffer {
    private(set) var bytes: [UInt8] = []

    /// The largest capacity, in bytes, that is retained for the next stream.
    private static let retainedCapacity = 262_144

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ body: (inout [UInt8]) -> Void) { body(&bytes) }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
    }
}
