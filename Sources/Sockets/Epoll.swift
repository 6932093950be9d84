import CLinux
import Glibc

/// What the kernel watches for one loop, epoll(7).
struct Epoll: ~Copyable {
    private let descriptor: Descriptor

    init() throws(SystemError) {
        descriptor = try Descriptor(
            opened: epoll_create1(Int32(EPOLL_CLOEXEC)), by: "epoll_create1")
    }

    /// - Parameter token: Comes back with the descriptor's events.
    func add(_ number: Int32, for events: UInt32, token: UInt64) throws(SystemError) {
        guard clinux_epoll_ctl(descriptor.number, EPOLL_CTL_ADD, number, events, token) == 0 else {
            throw SystemError(call: "epoll_ctl")
        }
    }

    func update(_ number: Int32, to events: UInt32, token: UInt64) {
        _ = clinux_epoll_ctl(descriptor.number, EPOLL_CTL_MOD, number, events, token)
    }

    func remove(_ number: Int32) {
        _ = clinux_epoll_ctl(descriptor.number, EPOLL_CTL_DEL, number, 0, 0)
    }

    /// Waits for events.
    ///
    /// - Returns: Where they are in `events`.
    func wait(for events: inout Events, milliseconds: Int32) -> Range<Int> {
        let count = unsafe epoll_wait(
            descriptor.number, &events.memory, Int32(events.memory.count), milliseconds)
        return 0..<max(0, Int(count))
    }

    /// The memory that the kernel writes events to.
    ///
    /// Safe: an event could hold a pointer, but ours hold tokens.
    @safe struct Events {
        fileprivate var memory = unsafe [epoll_event](repeating: epoll_event(), count: 512)

        subscript(index: Int) -> (token: UInt64, readiness: Readiness) {
            unsafe (
                clinux_event_token(memory[index]),
                Readiness(rawValue: clinux_event_bits(memory[index]))
            )
        }
    }
}
