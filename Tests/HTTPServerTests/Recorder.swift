import Synchronization
import TestSupport

/// What happened, in its order. Any thread may use it.
final class Recorder<Element: Sendable>: Sendable {
    private let stored = Mutex<[Element]>([])

    func record(_ element: Element) { stored.withLock { $0.append(element) } }

    var elements: [Element] { stored.withLock { $0 } }
    var count: Int { stored.withLock { $0.count } }
}

/// Waits until a condition holds, for at most twenty seconds.
func eventually(
    _ what: String = "condition", _ condition: @Sendable () throws -> Bool
) async throws {
    for _ in 0..<10_000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    throw TestFailure("waited in vain for: \(what)")
}

/// What a task comes to, if it does within twenty seconds.
func value<Success: Sendable, Failure>(
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

/// Something that belongs to a loop, on its way through a test that runs elsewhere.
// @unchecked: the tests touch the value on the loop only.
final class OnLoop<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
