import Synchronization

/// What happened, in its order. Any thread may use it.
public final class Recorder<Element: Sendable>: Sendable {
    private let stored = Mutex<[Element]>([])

    public init() {}

    public func record(_ element: Element) { stored.withLock { $0.append(element) } }

    /// Forgets what has happened so far.
    ///
    /// - Returns: What is forgotten.
    public func take() -> [Element] {
        stored.withLock { stored in
            defer { stored = [] }
            return stored
        }
    }

    public var elements: [Element] { stored.withLock { $0 } }
    public var count: Int { stored.withLock { $0.count } }
}

/// Waits until a condition holds, for a minute at least: longer than any machine is busy.
public func eventually(
    _ what: String = "condition", _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<30_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    throw TestFailure("waited in vain for: \(what)")
}

/// What a task comes to, if it does before `eventually` gives up.
public func value<Success: Sendable, Failure>(
    of task: Task<Success, Failure>
) async throws -> Success {
    let ended = Recorder<Bool>()
    Task {
        _ = await task.result
        ended.record(true)
    }
    try await eventually("the end of a task") { ended.count == 1 }
    return try await task.value
}
