import Foundation
import Sockets
import Storage
import Synchronization

/// When each maintenance task last succeeded, as far as is known. Any thread may use it.
final class MaintenanceTimes: Sendable {
    typealias Times = [(task: String, date: Date)]

    private struct State {
        var last: Times = []
        var isReading = false
    }

    private let state = Mutex(State())

    /// Asks the database unless that is under way, and waits up to 0.3 seconds for the answer.
    ///
    /// - Returns: The latest answer.
    func current(_ store: Store, on loop: EventLoop) async -> Times {
        let begins = state.withLock { state in
            defer { state.isReading = true }
            return !state.isReading
        }
        if begins {
            Task(executorPreference: loop) {
                let times = try? await store.lastMaintenance()
                self.state.withLock { state in
                    state.isReading = false
                    if let times { state.last = times }
                }
            }
        }
        for _ in 0..<30 where state.withLock({ $0.isReading }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return state.withLock { $0.last }
    }
}
