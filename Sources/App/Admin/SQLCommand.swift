import ArgumentParser
import Storage
import StorageWrites

struct SQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Print a statement that the server runs, for EXPLAIN and benchmarks.",
        shouldDisplay: false)

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case ranking
        case pastRanks = "past-ranks"
        case list

        fileprivate var sql: String {
            switch self {
            case .ranking: HotStatements.ranking
            case .pastRanks: HotStatements.pastRanks
            case .list: HotStatements.list
            }
        }
    }

    @Argument(help: "Which statement to print.")
    var name: Name

    @Flag(help: "Print it as a script for pgbench, with its parameters set. Only for the ranking.")
    var pgbench = false

    func validate() throws {
        guard !pgbench || name == .ranking else {
            throw ValidationError("Only the ranking can be printed for pgbench.")
        }
    }

    func run() {
        guard pgbench else { return print(name.sql) }
        // The server's own parameters for `limit=5`. It asks for one game more, to know whether
        // there is a next page.
        let values = [("platform", 48), ("games", 6), ("comments", 3)]
        var sql = name.sql
        for (index, (name, value)) in values.enumerated() {
            print("\\set \(name) \(value)")
            sql = sql.replacing("$\(index + 1)", with: ":\(name)")
        }
        print(sql + ";")
    }
}
