import Identity
import Logging
import Storage
import StorageWrites
import Work

enum Housekeeping {
    /// Does the maintenance tasks, unless another server does them, until the task is cancelled.
    static func begin(
        on loop: ServerLoop, after preparation: Task<[SigningKey]?, Never>,
        _ logger: Logger
    ) -> Task<Void, Never> {
        Task(executorPreference: loop.loop) {
            guard await preparation.value != nil else { return }
            // More often than the tasks are due: they may have been another server's, which is gone.
            await every(MaintenanceTask.period / 2) {
                for task in MaintenanceTask.allCases {
                    do {
                        try await loop.store.maintain(task)
                    } catch {
                        // A failure because the server is stopping is not worth a warning.
                        guard !Task.isCancelled else { return }
                        logger.warning(
                            "maintenance failed: \(task.name): \(String(reflecting: error))")
                    }
                }
            }
        }
    }
}
