import Sockets

/// Runs `body` as a task on a loop, and waits for it.
public func onLoop<Result: Sendable>(
    _ loop: EventLoop, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await Task(executorPreference: loop) { try await body() }.value
}

/// Runs `body` with a loop of its own, which is stopped afterwards.
///
/// - Parameter clock: What the loop's timers go by; `nil` for the system's clock.
public func withLoop<Result>(
    _ clock: TestClock? = nil, _ body: (EventLoop) async throws -> Result
) async throws -> Result {
    let loop =
        try clock.map { clock throws(SystemError) in try EventLoop(clock) }
        ?? EventLoop(name: "test")
    defer { loop.stop() }
    return try await body(loop)
}
