import ArgumentParser
import Logging
import Postgres
import Sockets
import Storage

struct MaintainCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintain",
        abstract: "Do now what a server does every ten minutes, such as deleting expired data.",
        discussion: """
            The tasks:

            """
                + MaintenanceTask.allCases.map { "- \($0.name): \($0.purpose)" }
                .joined(separator: "\n"))

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let tasks: [String]

        var description: String { "Done: \(tasks.joined(separator: ", "))." }
    }

    func perform(_ session: BlockingSession) async throws -> Report {
        let reader = SettingsReader()
        let url = try reader.value(Settings.database.url)
        let loop = try EventLoop(name: "maintenance")
        defer { loop.stop() }
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.connections = 1
        let pool = try PostgresPool(
            configuration, on: loop, logger: Logger(label: "fave-admin"),
            applicationName: "fave-admin")
        let work = Task(executorPreference: loop) {
            pool.open()
            defer { pool.close() }
            let store = Store(pool)
            var failures: [String] = []
            for task in MaintenanceTask.allCases {
                do {
                    try await store.maintain(task, ifDue: false)
                } catch {
                    failures.append("\(task.name) failed: \(error)")
                }
            }
            return failures
        }
        let failures = await work.value
        guard failures.isEmpty else {
            throw OperatorError(
                "\(failures.joined(separator: "\n"))\nAll other tasks are done.")
        }
        return Report(tasks: MaintenanceTask.allCases.map(\.name))
    }
}
