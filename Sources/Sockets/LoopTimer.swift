/// An action that an `EventLoop` will run once. Confined to its loop.
public final class LoopTimer {
    // A pending timer and its loop retain each other. The cycle ends when the timer fires or is
    // cancelled, or when the loop stops.
    private let loop: EventLoop
    private var action: (() -> Void)?

    init(loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Whether the action is yet to run. `false` while it runs.
    public var isPending: Bool { action != nil }

    /// Drops the action. Does nothing once the action has begun or was cancelled.
    public func cancel() {
        guard let action else { return }
        self.action = nil
        loop.timerWasCancelled()
        // Released last, because objects that the action retains may cancel this timer again while
        // they are being deallocated.
        withExtendedLifetime(action) {}
    }

    func fire() {
        let action = action
        self.action = nil
        action?()
    }
}
