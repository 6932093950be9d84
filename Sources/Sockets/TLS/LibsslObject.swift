import COpenSSL

/// An object of libssl that its owner frees, once.
///
/// Safe: the pointer is valid as long as the owner, who passes it only to functions for this type of
/// object.
// @unchecked: libssl locks what the objects of several threads share, and counts their references
// atomically. A connection's is confined to its loop.
@safe struct LibsslObject: ~Copyable, @unchecked Sendable {
    @unsafe let pointer: OpaquePointer
    private let free: (OpaquePointer) -> Void

    /// - Returns: `nil` without an object.
    @unsafe init?(_ pointer: OpaquePointer?, freedBy free: @escaping (OpaquePointer) -> Void) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
        unsafe self.free = free
    }

    deinit { unsafe free(pointer) }
}
