import CLinux

/// Something that an `EventLoop` notifies when a descriptor can be read or written.
public protocol ReadinessHandler: AnyObject {
    /// Called on the loop's thread. Never called after the registration was cancelled, even if the
    /// kernel had already reported the event.
    func descriptorIsReady(_ readiness: Readiness)
}

/// The events that the kernel reports for a descriptor, or that a handler asks for; see
/// epoll_ctl(2).
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Readiness(rawValue: clinux_epollin)
    public static let writable = Readiness(rawValue: clinux_epollout)
    /// The peer will send nothing more.
    public static let readEnded = Readiness(rawValue: clinux_epollrdhup)
    /// Reported whether asked for or not: an error is pending, or both directions are closed.
    public static let failed = Readiness(rawValue: clinux_epollerr | clinux_epollhup)
}

/// When the kernel reports a condition again; see epoll(7).
public enum ReadinessTrigger: Sendable {
    /// Reports as long as the condition holds. For libraries that read only as much as they choose,
    /// such as libcurl and libpq.
    case level
    /// Reports changes only: the handler must read or write until the kernel returns `EAGAIN`.
    case edge
    /// Like `level`, but wakes only some of the loops that wait for the same descriptor. For
    /// listeners.
    case exclusive
}
