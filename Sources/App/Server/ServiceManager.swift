import Foundation
import Glibc
package import Sockets
import Work

/// Systemd, or another service manager with the same protocols. It can hand listening sockets to
/// the server, sd_listen_fds(3), and the server reports its state to it, sd_notify(3). Without a
/// service manager there are no such sockets, and reports are dropped.
package struct ServiceManager: Sendable {
    private let notifySocket: String?
    /// How often the service manager wants a sign of life; `nil` if it doesn't watch the server.
    package let watchdogInterval: Duration?
    private let inheritedCount: Int

    /// Whether there is one, which starts the server again if it fails, after what its unit runs before
    /// each start.
    var isPresent: Bool { notifySocket != nil }

    /// Whether it has handed over sockets, so that clients wait there if the server doesn't start.
    var hasSockets: Bool { inheritedCount > 0 }

    /// The first inherited descriptor, SD_LISTEN_FDS_START.
    private static let firstDescriptor: Int32 = 3

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        notifySocket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        // Variables that are meant for another process, for example our parent, must be ignored.
        func isOurs(_ name: String) -> Bool { environment[name].flatMap { pid_t($0) } == getpid() }
        watchdogInterval =
            environment["WATCHDOG_PID"] == nil || isOurs("WATCHDOG_PID")
            ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap {
                $0 > 0 ? .microseconds($0) : nil
            } : nil
        inheritedCount =
            isOurs("LISTEN_PID") ? environment["LISTEN_FDS"].flatMap { Int($0) } ?? 0 : 0
    }

    /// The inherited sockets, to listen on instead of opening our own; empty if there are none.
    /// Must be called only once.
    ///
    /// - Throws: `OperatorError` if one of them is not a listening stream socket.
    package func inheritedSockets() throws -> [ListeningSocket] {
        guard (0...1024).contains(inheritedCount) else {
            throw OperatorError(
                "LISTEN_FDS is \(inheritedCount); it must be a number of sockets from 0 to 1024.")
        }
        return try (0..<Int32(inheritedCount)).map { index in
            do throws(SystemError) {
                return try ListeningSocket(inherited: Self.firstDescriptor + index)
            } catch {
                throw OperatorError(
                    """
                    Cannot listen on socket \(index + 1) of the \(inheritedCount) that the service \
                    manager handed over (\(error)). It must be defined with ListenStream=.
                    """)
            }
        }
    }

    /// Reports the state of the server, for example `READY=1`. A message that cannot be sent within a
    /// second is dropped: a service manager that doesn't read must not hold up the server's end.
    package func notify(_ state: String) {
        guard let notifySocket else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(notifySocket.utf8)
        // An abstract address is written with @ in place of its first byte, which is NUL; unix(7).
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(state.utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }

    /// Sends signs of life to the watchdog until the task is cancelled, as long as every loop
    /// turns. If a loop hangs, they stop, and systemd restarts the server.
    func feedWatchdog(_ loops: [EventLoop]) async {
        guard let watchdogInterval else { return }
        await every(watchdogInterval / 2) {
            for loop in loops { await loop.turn() }
            notify("WATCHDOG=1")
        }
    }
}
