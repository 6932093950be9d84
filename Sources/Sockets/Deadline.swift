/// A time limit that moves often and passes rarely, such as a connection's idle time.
///
/// Postponing it costs nothing: the pending timer is left as it is, and checks when it fires
/// whether the limit has moved. Confined to its loop.
public final class Deadline {
    private let loop: EventLoop
    private let action: () -> Void
    private var time: MonotonicTime?
    private var timer: LoopTimer?
    private var timerTime = MonotonicTime(nanoseconds: .max)

    /// - Parameter action: Called when the limit passes. The deadline retains `action` until the
    ///   deadline is deallocated, so `action` must not retain the deadline's owner.
    public init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    deinit { timer?.cancel() }

    /// Sets the limit, or moves it.
    public func set(after duration: Duration) {
        let time = loop.now + duration
        self.time = time
        if timer?.isPending != true || time < timerTime { schedule(at: time) }
    }

    /// Sets the limit to `time`, unless it is already set to `time` or earlier.
    public func set(atLatest time: MonotonicTime) {
        if let current = self.time, current <= time { return }
        self.time = time
        if timer?.isPending != true || time < timerTime { schedule(at: time) }
    }

    /// Removes the limit.
    public func clear() {
        time = nil
    }

    private func schedule(at time: MonotonicTime) {
        timer?.cancel()
        timerTime = time
        timer = loop.schedule(at: time) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        guard let time else { return }
        if time > loop.now {
            schedule(at: time)
        } else {
            self.time = nil
            action()
        }
    }
}
