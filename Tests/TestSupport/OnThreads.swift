import Foundation

/// Runs `body` on threads of their own, for calls that block.
public func onThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
) async throws {
    _ = try await resultsOnThreads(count, body)
}

/// The same for what the calls give, in order.
public func resultsOnThreads<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup { group in
        for index in 0..<count {
            group.addTask {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread {
                        continuation.resume(
                            with: Swift.Result { (index, try body(index)) })
                    }
                }
            }
        }
        var results: [(Int, Result)] = []
        for try await result in group { results.append(result) }
        return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
