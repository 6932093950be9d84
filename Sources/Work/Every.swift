/// Waits for some time, or until the task is cancelled.
public typealias Sleep = @Sendable (Duration) async throws -> Void

/// Does something at once, and again after each period, until the task is cancelled.
///
/// - Parameter failed: Called with each error of `body`, and then the next period begins. A failure because
///   the task was cancelled is not worth a word.
public func every(
    _ period: Duration, sleep: Sleep = { try await Task.sleep(for: $0) },
    _ body: () async throws -> Void, failed: (any Error) -> Void = { _ in }
) async {
    let _: Never? = await poll(every: period, sleep: sleep) {
        do {
            try await body()
        } catch {
            if !Task.isCancelled { failed(error) }
        }
        return nil
    }
}

/// Asks for a value at once, and again after each period, until there is one or the task is cancelled.
///
/// - Returns: `nil` if the task was cancelled.
public func poll<Value>(
    every period: Duration, sleep: Sleep = { try await Task.sleep(for: $0) },
    _ body: () async -> Value?
) async -> Value? {
    while !Task.isCancelled {
        if let value = await body() { return value }
        try? await sleep(period)
    }
    return nil
}
