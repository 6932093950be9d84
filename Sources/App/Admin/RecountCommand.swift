import ArgumentParser
import Postgres
import Storage
import StorageWrites

struct RecountCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Recompute the included-by counts, and report and correct differences.",
        discussion: """
            The database keeps the counts correct by itself, and maintenance corrects what was \
            written while its triggers were off. It can run while people use the service.
            """)

    @Flag(help: "Only report differences. The exit status is 1 if there are any.")
    var check = false

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let differences: [CountDifference]
        let corrected: Bool

        var description: String {
            guard !differences.isEmpty else { return "All counts are correct." }
            let shown = differences.prefix(20).map {
                "  platform \($0.platformID), game \($0.gameID): \($0.stored), should be \($0.actual)"
            }
            let more = differences.count > 20 ? ["  and \(differences.count - 20) more"] : []
            let title =
                "\(differences.count) \(differences.count == 1 ? "count" : "counts") differed"
                + (corrected ? "; corrected:" : ":")
            return ([title] + shown + more).joined(separator: "\n")
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let store = BulkStore(session)
        let differences = try store.countDifferences()
        guard !check else { return Report(differences: differences, corrected: false) }
        if !differences.isEmpty { try store.mendCounts() }
        return Report(differences: differences, corrected: !differences.isEmpty)
    }

    func exitCode(_ report: Report) -> ExitCode {
        report.differences.isEmpty || report.corrected ? .success : .failure
    }
}
