/// Bytes on their way to the kernel: one for all streams of a loop, which use it one after the other,
/// so that an idle connection holds no memory for what it once sent.
struct OutputBuffer {
    private(set) var bytes: [UInt8] = []

    /// What is kept of its memory for the next stream.
    private static let keptCapacity = 262_144

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ body: (inout [UInt8]) -> Void) { body(&bytes) }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    }
}
