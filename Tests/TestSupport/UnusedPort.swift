import Glibc

/// A port of the loopback on which nobody listens while this exists.
public final class UnusedPort: Sendable {
    public let number: Int
    private let descriptor: Int32

    public init() throws {
        // Bound, so that nobody else gets it, but not listening.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard status == 0 else { throw TestFailure("no port") }
    }

    deinit { close(descriptor) }
}
