import Foundation

/// The contents of a migration's file.
struct MigrationScript {
    /// In order; at least one.
    let steps: [MigrationStep]
    /// The oldest version of the schema whose servers still work once this migration is applied; `nil`
    /// if no running server does.
    let oldestServer: Int?

    /// A file that can't be read as steps.
    struct Malformed: Error {
        let reason: String
    }

    /// Reads a file. These lines are directives; a file without steps is one transaction:
    ///
    ///     -- oldest-server: 9
    ///     -- step: What it does
    ///     -- step (outside a transaction): What it does
    ///     -- step (in batches): What it does
    init(parsing text: String) throws(Malformed) {
        var oldestServer: Int?
        var preamble = ""
        var steps: [(name: String, kind: MigrationStep.Kind, sql: String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("-- oldest-server") {
                guard oldestServer == nil, steps.isEmpty,
                    let match = line.wholeMatch(of: /-- oldest-server: ([1-9][0-9]{0,4})/),
                    let version = Int(match.1)
                else {
                    throw Malformed(
                        reason: """
                            "\(line)" must be "-- oldest-server: " and a number, once, before the \
                            steps.
                            """)
                }
                oldestServer = version
            } else if line.hasPrefix("-- step") {
                guard let match = line.wholeMatch(of: /-- step(?: \(([a-z ]+)\))?: (\S.*)/) else {
                    throw Malformed(reason: "\"\(line)\" is not a directive.")
                }
                guard let kind = MigrationStep.Kind(rawValue: match.1.map(String.init) ?? "") else {
                    throw Malformed(reason: "\"\(line)\" is not a kind of step.")
                }
                steps.append((String(match.2), kind, ""))
            } else if steps.isEmpty {
                preamble += line + "\n"
            } else {
                steps[steps.count - 1].sql += line + "\n"
            }
        }
        self.oldestServer = oldestServer
        guard !steps.isEmpty else {
            self.steps = [MigrationStep(name: "", kind: .transaction, sql: text)]
            return
        }
        let isComment = preamble.split(separator: "\n").allSatisfy { line in
            let text = line.trimmingCharacters(in: .whitespaces)
            return text.isEmpty || text.hasPrefix("--")
        }
        guard isComment else {
            throw Malformed(reason: "There is SQL before the first step.")
        }
        self.steps = steps.map {
            // White space around a step is not part of it.
            MigrationStep(
                name: $0.name, kind: $0.kind,
                sql: $0.sql.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
