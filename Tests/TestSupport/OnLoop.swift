import Sockets

/// Runs `body` as a task on a loop, and waits for it.
public func onLoop<Result: Sendable>(
    _ loop: EventLoop, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await Task(executorPreference: loop) { try await body() }.value
}

/// Runs `body` with a loop of its own, which is stopped afterwards.
public func withLoop<Result>(
    _ body: (EventLoop) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(name: "test")
    defer { loop.stop() }
    return try await body(loop)
}
