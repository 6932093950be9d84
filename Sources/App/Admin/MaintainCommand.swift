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
            for task in MaintenanceTask.allCases { try await store.maintain(task, ifDue: false) }
        }
        try await work.value
        return Report(tasks: MaintenanceTask.allCases.map(\.name))
    }
}
