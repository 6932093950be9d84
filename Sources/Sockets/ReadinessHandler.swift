import CLinux

/// Something that an `EventLoop` tells when its descriptor can be read or written.
public protocol ReadinessHandler: AnyObject {
    /// Called on the loop's thread, never after the registration was cancelled, even when the
    /// kernel had already reported the event.
    func descriptorIsReady(_ readiness: Readiness)
}

/// What the kernel reported for a descriptor, or what a handler wants to be told; see epoll_ctl(2).
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

/// When the kernel repeats itself; see epoll(7).
public enum ReadinessTrigger: Sendable {
    /// Reports as long as the condition holds. For code of others that reads as much as it likes.
    case level
    /// Reports changes only: the handler must read or write until the kernel says `EAGAIN`.
    case edge
    /// Level, and of many loops that wait for one descriptor only some wake up. For listeners.
    case exclusive
}
