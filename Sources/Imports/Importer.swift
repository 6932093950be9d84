public import FaveGames
public import Foundation
public import Logging
public import Sockets
public import Storage
import StorageWrites
public import Work

/// Imports lists from elsewhere: reads a file on a worker's thread, stores its rows, and looks for
/// their games in the background, after the client has its response.
///
/// The database alone shows the remaining work. So any other server continues an import that a
/// server has not finished: when its owner looks at it, or in maintenance.
public struct Importer: Sendable {
    private var store: Store
    private let workers: WorkerPool
    private let loop: EventLoop
    private let logger: Logger

    /// - Parameter loop: The store's loop.
    public init(store: Store, workers: WorkerPool, loop: EventLoop, logger: Logger) {
        self.store = store
        self.workers = workers
        self.loop = loop
        self.logger = logger
    }

    /// The same, but imports are read from this store, which belongs to the same loop.
    public func reading(from store: Store) -> Importer {
        var importer = self
        importer.store = store
        return importer
    }

    /// Runs work on a file on a worker's thread.
    ///
    /// - Parameter client: The client that takes a turn on the worker's threads.
    /// - Throws: `WorkerPool.BusyError`, `CancellationError`, or what `body` throws.
    public func reading<Result: Sendable>(
        for client: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await workers.run(.file, for: client, isCancellable: true, body)
    }

    /// Reads a file and begins to import it.
    ///
    /// - Parameters:
    ///   - file: CSV, at most `ImportedRow.fileLimit` bytes.
    ///   - client: The client that takes a turn on the worker's threads.
    /// - Returns: `nil` if the user is gone.
    /// - Throws: `CSVError`, `ImportFault`, `ImportRunningError`, and as `reading`.
    public func begin(
        _ file: [UInt8], name: String, of userID: UUID, for client: String
    ) async throws -> GameImport? {
        let platforms = try await store.platforms()
        let rows = try await reading(for: client) {
            StoredImport(try ImportFile.rows(file, platforms: PlatformNames(platforms)))
        }
        let name = String(OneLine.clean(name).unicodeScalars.prefix(100))
        guard let begun = try await store.beginImport(rows, fileName: name, userID: userID) else {
            return nil
        }
        if begun.state == .running { finish(begun.id) }
        return begun
    }

    /// The user's import. If a server has left it behind, it is continued.
    public func current(userID: UUID) async throws -> GameImport? {
        guard let found = try await store.gameImport(userID: userID) else { return nil }
        if found.state == .running, let id = try await store.takeOverImport(userID: userID) {
            finish(id)
        }
        return found
    }

    /// Deletes the user's import with its rows, if there is one.
    public func delete(of user: User) async throws {
        try await store.deleteImport(userID: user.id)
    }

    /// Looks for the games in the background.
    private func finish(_ id: UUID) {
        Task(executorPreference: loop) { [store, logger] in
            do {
                try await store.finishImport(id: id)
            } catch {
                // The import is not lost: a server will continue it, or it has failed for good.
                logger.warning("an import stopped: \(String(reflecting: error))")
            }
        }
    }
}
