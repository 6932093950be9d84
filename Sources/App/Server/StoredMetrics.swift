import Foundation
import Sockets
import Storage
import StorageWrites
import Synchronization

/// Values of metrics that come from the database. Any thread may use it.
final class StoredMetrics: Sendable {
    struct Values {
        /// When each maintenance task last succeeded.
        var times: [(task: String, date: Date)] = []
        /// How many mails wait, and for how long the oldest has waited; `nil` if that is not known.
        var mail: (count: Int, seconds: Int)?
    }

    private struct State {
        var last = Values()
        var isReading = false
    }

    private let state = Mutex(State())

    /// Asks the database, unless a request is pending, and waits up to 0.3 seconds for the response.
    ///
    /// - Returns: The latest response.
    func current(_ store: Store, on loop: EventLoop) async -> Values {
        let begins = state.withLock { state in
            defer { state.isReading = true }
            return !state.isReading
        }
        if begins {
            Task(executorPreference: loop) {
                let values = try? await Values(
                    times: store.lastMaintenance(), mail: store.queuedMail())
                self.state.withLock { state in
                    state.isReading = false
                    if let values { state.last = values }
                }
            }
        }
        for _ in 0..<30 where state.withLock({ $0.isReading }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return state.withLock { $0.last }
    }
}
