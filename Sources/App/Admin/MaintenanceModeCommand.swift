import Actions
import ArgumentParser
import FaveGames
import Foundation
import Storage

struct MaintenanceModeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintenance-mode",
        abstract: "Let people only read, with a message, or let them write again.",
        discussion: """
            While it is on, whatever would change something gets status 503 with the message. What \
            people read goes on, with the message on each page. All servers of the site follow: they \
            ask every second, and when they start. Without an option, says whether it is on.
            """)

    @Option(help: "Begin it, or change its message, such as \"We move to a new host until 15:00.\"")
    var begin: String?

    @Flag(help: "End it.")
    var end = false

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        /// `null` if it is off.
        @Nullable var message: String?
        @Nullable var begunAt: String?

        init(_ mode: StoredMaintenanceMode?) {
            message = mode?.message
            begunAt = mode?.begunAt.formatted(.iso8601)
        }

        var description: String {
            guard let message, let begunAt else { return "Off: people can write." }
            return "On since \(begunAt): “\(message)”"
        }
    }

    func validate() throws {
        guard begin == nil || !end else {
            throw ValidationError("Either --begin or --end, not both.")
        }
        guard let begin else { return }
        guard MaintenanceMessage(begin) != nil else {
            throw ValidationError(
                "The message must have 1 to \(MaintenanceMessage.limit) characters.")
        }
    }

    func perform(_ store: Store) async throws -> Report {
        let actions = OperatorActions(store)
        if let message = begin.flatMap(MaintenanceMessage.init) {
            try await actions.beginMaintenance(message)
            // So that a backup that a script makes next is made after the last change.
            try await Task.sleep(for: MaintenanceWatch.period * 3)
        } else if end {
            try await actions.endMaintenance()
        }
        return Report(try await store.maintenanceMode())
    }
}
