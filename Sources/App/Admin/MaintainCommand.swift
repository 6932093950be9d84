import ArgumentParser
import Storage
import StorageWrites

struct MaintainCommand: StoreCommand {
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

    func perform(_ store: Store) async throws -> Report {
        var failures: [String] = []
        for task in MaintenanceTask.allCases {
            do {
                try await store.maintain(task, ifDue: false)
            } catch {
                failures.append("\(task.name) failed: \(error)")
            }
        }
        guard failures.isEmpty else {
            throw OperatorError(
                "\(failures.joined(separator: "\n"))\nAll other tasks are done.")
        }
        return Report(tasks: MaintenanceTask.allCases.map(\.name))
    }
}
