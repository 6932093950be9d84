import Identity
import Storage
import Web
import Work

/// Asks the database from time to time whether people can only read, so that all servers of a site follow
/// `fave-admin maintenance-mode`.
enum MaintenanceWatch {
    static let period = Duration.seconds(1)

    static func begin(
        on loop: ServerLoop, after preparation: Task<[SigningKey]?, Never>, _ mode: MaintenanceMode
    ) -> Task<Void, Never> {
        Task(executorPreference: loop.loop) {
            guard await preparation.value != nil else { return }
            // While the database is away, the last message still holds.
            await every(period) { mode.set(try await loop.store.maintenanceMode()?.message) }
        }
    }
}
