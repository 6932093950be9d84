import Crypto
import Encodings
import Foundation

/// A part of a migration that is done as a whole. A migration that was interrupted goes on with the
/// step that it had come to.
public struct MigrationStep: Sendable {
    public enum Kind: String, Sendable {
        /// Any statements, in a transaction of their own.
        case transaction = ""
        /// One statement that PostgreSQL refuses in a transaction, such as CREATE INDEX
        /// CONCURRENTLY. It must do no harm when it is done again: it may have been done without
        /// having been recorded.
        case outsideTransaction = "outside a transaction"
        /// One statement that changes a bounded number of rows. It is repeated, each time in a
        /// transaction of its own, until it changes none.
        case batches = "in batches"
    }

    /// What the step does; empty if the migration has only one.
    public let name: String
    public let kind: Kind
    let sql: String

    /// Tells whether a step that was done has changed since.
    var checksum: String { Hexadecimal.encode(SHA256.hash(data: Data(sql.utf8))) }

    /// A file that can't be read as steps.
    struct Malformed: Error {
        let reason: String
    }

    /// Reads a file. These lines are directives; a file without any is one transaction:
    ///
    ///     -- oldest-server: 9
    ///     -- step: What it does
    ///     -- step (outside a transaction): What it does
    ///     -- step (in batches): What it does
    static func parse(_ text: String) throws(Malformed) -> ([MigrationStep], oldestServer: Int?) {
        var oldestServer: Int?
        var preamble = ""
        var steps: [(name: String, kind: Kind, sql: String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let match = line.wholeMatch(of: /-- oldest-server: ([1-9][0-9]{0,4})/) {
                guard oldestServer == nil, steps.isEmpty, let version = Int(match.1) else {
                    throw Malformed(reason: "\"\(line)\" must come once, before the steps.")
                }
                oldestServer = version
            } else if let match = line.wholeMatch(of: /-- step(?: \(([a-z ]+)\))?: (\S.*)/) {
                guard let kind = Kind(rawValue: match.1.map(String.init) ?? "") else {
                    throw Malformed(reason: "\"\(line)\" is not a kind of step.")
                }
                steps.append((String(match.2), kind, ""))
            } else if line.hasPrefix("-- step") || line.hasPrefix("-- oldest-server") {
                throw Malformed(reason: "\"\(line)\" is not a directive.")
            } else if steps.isEmpty {
                preamble += line + "\n"
            } else {
                steps[steps.count - 1].sql += line + "\n"
            }
        }
        guard !steps.isEmpty else {
            return (
                [MigrationStep(name: "", kind: .transaction, sql: text)],
                oldestServer: oldestServer
            )
        }
        let isComment = preamble.split(separator: "\n").allSatisfy { line in
            let text = line.trimmingCharacters(in: .whitespaces)
            return text.isEmpty || text.hasPrefix("--")
        }
        guard isComment else {
            throw Malformed(reason: "There is SQL before the first step.")
        }
        return (
            steps.map {
                // White space around a step is not part of it.
                MigrationStep(
                    name: $0.name, kind: $0.kind,
                    sql: $0.sql.trimmingCharacters(in: .whitespacesAndNewlines))
            },
            oldestServer: oldestServer
        )
    }
}
