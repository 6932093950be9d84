import Logging
import Postgres
import Sockets
import Storage

/// Whether a loop's site can answer requests, for load balancers and monitors.
///
/// PostgreSQL is asked at most once a second, whatever the number of those who ask. Confined to its
/// loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class Health: @unchecked Sendable {
    private let store: Store
    private let loop: EventLoop
    private let readiness: ReadyState
    /// The number of the latest migration that the program knows.
    private let schema: Int
    private var last: (time: MonotonicTime, problem: String?)?
    private var check: Task<String?, Never>?

    public init(_ store: Store, on loop: EventLoop, _ readiness: ReadyState, schema: Int) {
        self.store = store
        self.loop = loop
        self.readiness = readiness
        self.schema = schema
    }

    /// What keeps the site from answering requests, in a few words; `nil` if nothing does.
    public func problem() async -> String? {
        guard readiness.isReady else { return "stopping" }
        if let last, loop.now - last.time < .seconds(1) { return last.problem }
        let check = check ?? Task(executorPreference: loop) { await self.ask() }
        self.check = check
        return await check.value
    }

    private func ask() async -> String? {
        let problem: String?
        do {
            let found = try await store.schemaVersion()
            problem =
                found >= schema
                ? nil
                : "the database has the schema of migration \(found), and this server needs \(schema)"
        } catch {
            problem =
                switch error.code {
                case .queueFull, .acquisitionTimeout: "too much is waiting for PostgreSQL"
                default: "PostgreSQL cannot be asked"
                }
        }
        last = (loop.now, problem)
        check = nil
        return problem
    }
}
