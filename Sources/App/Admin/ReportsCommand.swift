import Actions
import ArgumentParser
import FaveGames
import Foundation
import Storage

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "List what people have reported, and dismiss it.",
        discussion: "Moderators decide at /moderation. To name one: fave-admin users promote",
        subcommands: [ListReportsCommand.self, DismissReportCommand.self],
        defaultSubcommand: ListReportsCommand.self)
}

struct ListReportsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List open cases, the oldest first.")

    @OptionGroup var output: OutputOptions

    struct Case: Encodable {
        let id: Int
        let kind: String
        let username: String
        let openedAt: String
        let reports: Int
        let reasons: [String]
        @Nullable var game: String?
        let reported: String
        @Nullable var comment: String?

        init(_ reported: ReportCase) {
            id = reported.id
            kind = reported.kind.rawValue
            username = reported.username
            openedAt = reported.openedAt.formatted(.iso8601)
            reports = reported.reportCount
            reasons = reported.reasons.map(\.rawValue)
            game = reported.game
            self.reported = reported.reported
            comment = reported.comment
        }

        var line: String {
            let what =
                reported.isEmpty
                ? "" : " \"\(reported.replacing("\n", with: " ").prefix(60))\""
            return "\(id)  \(openedAt)  \(kind) of \(username), "
                + "\(reports) \(reports == 1 ? "report" : "reports"): "
                + reasons.joined(separator: ", ") + what
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let cases: [Case]

        var description: String {
            cases.isEmpty ? "No open cases." : cases.map(\.line).joined(separator: "\n")
        }
    }

    func perform(_ store: Store) async throws -> Report {
        var cases: [ReportCase] = []
        var page: [ReportCase]
        repeat {
            page = try await store.openCases(after: cases.last?.id ?? 0, for: nil)
            cases += page
        } while page.count == Store.casesPerPage
        return Report(cases: cases.map(Case.init))
    }
}

struct DismissReportCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Close a case without any consequence.")

    @Argument(help: "The case's number.")
    var id: Int

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let id: Int

        var description: String { "Case \(id) is closed." }
    }

    func perform(_ store: Store) async throws -> Report {
        guard try await OperatorActions(store).dismiss(caseID: id) else {
            throw OperatorError(
                "There is no open case \(id). To list them: fave-admin reports", .notFound)
        }
        return Report(id: id)
    }
}
