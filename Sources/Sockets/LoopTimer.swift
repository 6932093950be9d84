/// An action that an `EventLoop` will do once. Confined to its loop.
public final class LoopTimer {
    // A cycle while the timer stands; firing it, cancelling it or stopping the loop ends it.
    private let loop: EventLoop
    private var action: (() -> Void)?

    init(loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Whether the action is still to come. `false` while it runs.
    public var isPending: Bool { action != nil }

    /// Drops the action. Does nothing once the action has begun or was cancelled.
    public func cancel() {
        guard let action else { return }
        self.action = nil
        loop.timerWasCancelled()
        // Freed last: what it holds may cancel this timer while it goes.
        withExtendedLifetime(action) {}
    }

    func fire() {
        let action = action
        self.action = nil
        action?()
    }
}
