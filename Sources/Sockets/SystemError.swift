public import Glibc

/// A system call that failed, with its `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call as section 2 of the manual names it, for example `bind`.
    public let call: String
    /// The value of `errno` after the call, for example `EADDRINUSE`.
    public let code: Int32

    public init(call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    public var description: String {
        "\(call): \(unsafe String(cString: strerror(code)))"
    }
}
