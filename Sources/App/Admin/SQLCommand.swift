import ArgumentParser
import Storage

struct SQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Prints a statement that the server runs, for EXPLAIN and benchmarks.",
        shouldDisplay: false)

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case ranking
    }

    @Argument(help: "Which one.")
    var name: Name

    @Flag(help: "As a script for pgbench, with its parameters set.")
    var pgbench = false

    func run() {
        guard pgbench else { return print(HotStatements.ranking) }
        // As the server asks for `limit=5`: one more, to know whether there is a next page.
        let values = [("platform", 48), ("games", 6), ("comments", 3)]
        var sql = HotStatements.ranking
        for (index, (name, value)) in values.enumerated() {
            print("\\set \(name) \(value)")
            sql = sql.replacing("$\(index + 1)", with: ":\(name)")
        }
        print(sql + ";")
    }
}
