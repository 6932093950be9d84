import Endpoints
import Logging
import Postgres
public import Sockets
public import Storage
import Views

/// Whether a loop's site can serve requests, for load balancers and monitors.
///
/// PostgreSQL is asked at most once a second, whatever the number of those who ask. Confined to its
/// loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class Health: @unchecked Sendable {
    private let loop: EventLoop
    private let readiness: ReadyState
    /// The number of the latest migration that the program knows.
    private let schema: Int
    private var last: (time: MonotonicTime, problem: Problem?)?
    private var check: Task<Problem?, Never>?

    /// The reason that the site can't serve requests.
    public enum Problem: Hashable, Sendable, CustomStringConvertible {
        case stopping
        /// The server has just started, and waits for the database.
        case waiting(String)
        /// The server can't start with its settings, or not with this database. The reason is for operators.
        case refused(String)
        case noDatabase
        case oldSchema(Int, needed: Int)

        public var description: String {
            switch self {
            case .stopping: "stopping"
            case .waiting(let reason): reason
            case .refused: "not set up correctly; /ready at ADMIN_LISTEN and the log say why"
            case .noDatabase: "PostgreSQL cannot be reached"
            case .oldSchema(let found, let needed):
                "the database has the schema of migration \(found), and this server needs \(needed)"
            }
        }
    }

    public init(on loop: EventLoop, _ readiness: ReadyState, schema: Int) {
        self.loop = loop
        self.readiness = readiness
        self.schema = schema
    }

    /// The reason that the site can't serve requests; `nil` if it can. An overloaded database doesn't
    /// count: other servers use the same PostgreSQL, so sending requests there wouldn't help.
    ///
    /// - Parameter store: Reads from PostgreSQL, unless the last check is recent enough.
    public func problem(asking store: Store) async -> Problem? {
        store.usesMore()
        if let problem = readiness.problem { return problem }
        if let last, loop.now - last.time < .seconds(1) { return last.problem }
        // Detached: others wait for it, too.
        let check = check ?? Task.detached(executorPreference: loop) { await self.ask(store) }
        self.check = check
        return await check.value
    }

    /// Whether people can only read.
    var maintenance: MaintenanceMode { readiness.maintenance }

    /// Whether the server has just started, and still waits for the database or for other settings.
    var isWaiting: Bool { readiness.isWaiting }

    /// Why a server that waits has no page to show, for visitors.
    var waitingProblem: Endpoints.Problem {
        if case .refused = readiness.problem {
            return .unavailable(
                .notSetUp,
                retryAfter: 300)
        }
        return .unavailable(.dataUnreachable)
    }

    private func ask(_ store: Store) async -> Problem? {
        let problem: Problem?
        do {
            let found = try await store.schemaVersion()
            problem = found >= schema ? nil : .oldSchema(found, needed: schema)
        } catch {
            problem =
                switch error.code {
                case .queueFull, .acquisitionTimeout: nil
                default: .noDatabase
                }
        }
        last = (loop.now, problem)
        check = nil
        return problem
    }
}
