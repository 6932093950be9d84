import Foundation
import Identity
import Logging
import Migrations
import Postgres
import Storage
import StorageWrites
import Synchronization
import Web
import Work

/// Waits until the database can be used: PostgreSQL is reachable, the program works with the schema, and
/// there is a signing key. The first start makes a key.
final class Preparation: Sendable {
    private enum State {
        /// PostgreSQL has not responded yet.
        case asking
        case unreachable
        /// Someone has to migrate, and may be doing that.
        case schemaIsOlder
        /// The program won't ever work with this database.
        case unusable(any Error)
        case done([SigningKey])
    }

    /// Yields once if the program has to start again: before that, its unit migrates.
    let restarts: AsyncStream<Void>

    private let restart: AsyncStream<Void>.Continuation
    private let settings: ServerSettings
    private let migrations: [Migration]
    private let readiness: ReadyState
    private let logger: Logger
    private let migrationPatience: Duration?
    private let servesRefusals: Bool
    private let refusal: String?
    private let state = Mutex(State.asking)
    /// Whether the server runs while it waits, and tells visitors so.
    private let isServing = Atomic(false)

    /// - Parameters:
    ///   - migrationPatience: How long another program may take to migrate before this one has to be
    ///     restarted; `nil` if no supervisor restarts it.
    ///   - servesRefusals: Whether the server tells visitors that it can't start, instead of ending.
    ///   - refusal: Why the settings can't be used; `nil` if they can.
    init(
        _ settings: ServerSettings, _ migrations: [Migration], _ readiness: ReadyState,
        migrationPatience: Duration?, servesRefusals: Bool = false, refusal: String? = nil,
        _ logger: Logger
    ) {
        (restarts, restart) = AsyncStream.makeStream()
        self.migrationPatience = migrationPatience
        self.servesRefusals = servesRefusals
        self.refusal = refusal
        self.settings = settings
        self.migrations = migrations
        self.readiness = readiness
        self.logger = logger
        readiness.wait(for: "PostgreSQL has not responded yet")
    }

    /// Starts to ask, in the background.
    ///
    /// - Returns: The task that asks.
    func begin() -> Task<[SigningKey]?, Never> {
        if let refusal {
            readiness.refuse(refusal)
            logger.error("the settings cannot be used: \(refusal)")
            return Task { nil }
        }
        return Task.detached { await self.run() }
    }

    /// Waits a moment for the task that asks.
    ///
    /// - Returns: The signing keys; `nil` if the database can't be used yet.
    /// - Throws: An error if the program can never use this database. The task is cancelled then.
    func settle(_ task: Task<[SigningKey]?, Never>) async throws -> [SigningKey]? {
        guard refusal == nil else { return nil }
        do {
            return try await settle()
        } catch {
            task.cancel()
            throw error
        }
    }

    /// Asks the database every second until it can be used, the program has to start again, or the task
    /// is cancelled.
    ///
    /// - Returns: The signing keys; `nil` if the database can't be used.
    func run() async -> [SigningKey]? {
        var patience = migrationPatience
        var olderSince: ContinuousClock.Instant?
        return await poll(every: .seconds(1)) { () -> [SigningKey]?? in
            let state = await attempt()
            self.state.withLock { $0 = state }
            switch state {
            case .done(let keys): return .some(keys)
            // The unit's attempt to migrate has failed, too.
            case .unreachable: if patience != nil { patience = .zero }
            case .schemaIsOlder:
                let since = olderSince ?? .now
                olderSince = since
                if let patience, .now - since >= patience {
                    restart.yield()
                    return .some(nil)
                }
            case .asking, .unusable: break
            }
            return nil
        } ?? nil
    }

    /// Waits a moment for a slow PostgreSQL, and longer for a migration that may be in progress. If
    /// PostgreSQL is away, returns at once: the server tells visitors so.
    ///
    /// - Returns: The signing keys; `nil` if the database can't be used yet.
    /// - Throws: An error if the program can never use this database.
    private func settle() async throws -> [SigningKey]? {
        let start = ContinuousClock.now
        while true {
            let limit: Duration
            switch state.withLock({ $0 }) {
            case .asking: limit = .seconds(2)
            case .schemaIsOlder: limit = .seconds(5)
            case .unreachable: limit = .zero
            case .done(let keys): return keys
            case .unusable(let error):
                guard servesRefusals else { throw error }
                logger.error("the database cannot be used: \(error)")
                limit = .zero
            }
            guard ContinuousClock.now - start < limit else {
                isServing.store(true, ordering: .relaxed)
                return nil
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func attempt() async -> State {
        // A thread of its own: libpq blocks while it looks up names and connects. A server that ends
        // doesn't wait for it.
        let (results, continuation) = AsyncStream<Result<[SigningKey], any Error>>.makeStream()
        Thread.detachNewThread {
            continuation.yield(Result { try self.prepare() })
        }
        guard let result = await results.first(where: { _ in true }) else { return .asking }
        switch result {
        case .success(let keys): return .done(keys)
        case .failure(let error as PostgresError) where error.isTransient:
            readiness.wait(for: "PostgreSQL cannot be reached")
            logger.warning("waiting for PostgreSQL: \(OperatorError(error))")
            return .unreachable
        case .failure(let error as MigrationError) where error.code == .databaseIsOlder:
            readiness.wait(for: error.description)
            logger.warning("waiting for the schema: \(error)")
            return .schemaIsOlder
        case .failure(let error):
            readiness.refuse(
                "\((error as? PostgresError).map { OperatorError($0).description } ?? "\(error)")")
            if isServing.load(ordering: .relaxed) {
                logger.error("waiting for another database: \(error)")
            }
            return .unusable(error)
        }
    }

    private func prepare() throws -> [SigningKey] {
        // With a server's name, this connection could make fave-admin migrate refuse to run.
        let session = try BlockingSession(
            connectionString: settings.database.connectionString,
            applicationName: "fave-server-start")
        let migrator = Migrator(session, migrations)
        try migrator.check()
        do {
            try migrator.checkLocale()
        } catch let error as MigrationError {
            // Only a database that was made with other tools has a schema in spite of that.
            logger.warning("\(error)")
        }
        let connections = settings.loops * settings.database.connections
        for warning in try DurabilityCheck(session).warnings
            + ConnectionsCheck(session, wanted: connections).warnings
        {
            logger.warning("\(warning)")
        }
        try BulkStore(session).showAdultGames(settings.showsAdultGames)
        readiness.maintenance.set(try BulkStore(session).maintenanceMode()?.message)
        let keys = try StoredSigningKey.loadOrMake(session, candidate: SigningKey.make()).map {
            guard let key = SigningKey($0) else {
                throw OperatorError("The signing key \($0.id) in the database is damaged.")
            }
            return key
        }
        if try !BulkStore(session).hasAdministrator() {
            logger.notice(
                "no one can resolve reports yet: run fave-admin users administrator-link")
        }
        return keys
    }
}
