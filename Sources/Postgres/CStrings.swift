/// Texts for libpq, in one piece of memory: each with a final NUL. A missing one is a NULL.
struct CStrings {
    private var bytes: [UInt8] = []
    /// Where each text begins.
    private let starts: [Int?]

    init(_ texts: some Sequence<String?>) {
        var bytes: [UInt8] = []
        starts = texts.map { text in
            guard let text else { return nil }
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            bytes.append(0)
            return start
        }
        self.bytes = bytes
    }

    var count: Int { starts.count }

    /// Lends an array of pointers to the texts, with a NULL behind it. They are valid during the call.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafePointer<CChar>?.self, capacity: starts.count + 1
            ) { pointers in
                let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
                for (index, start) in starts.enumerated() {
                    unsafe pointers.initializeElement(
                        at: index, to: start.flatMap { unsafe base?.advanced(by: $0) })
                }
                unsafe pointers.initializeElement(at: starts.count, to: nil)
                return unsafe body(UnsafePointer(pointers.baseAddress))
            }
        }
    }
}
