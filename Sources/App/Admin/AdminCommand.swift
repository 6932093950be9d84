import ArgumentParser
import Foundation
import Languages
import Migrations
import Postgres
import Storage
import StorageWrites
import Web

/// A subcommand of `fave-admin` that works on the database and reports what it did.
protocol AdminCommand: AsyncParsableCommand {
    /// What the command did. It is printed as its `description`, or as JSON with `--json`.
    associatedtype Report: Encodable & CustomStringConvertible

    var output: OutputOptions { get }

    /// - Parameter session: Connected to a database whose schema has been checked, unless
    ///   `needsCurrentSchema` is `false`.
    func perform(_ session: BlockingSession) async throws -> Report

    /// Whether `run` refuses a schema that is not current. The default is `true`.
    static var needsCurrentSchema: Bool { get }

    /// The text to print for a report.
    func text(of report: Report) throws -> String

    /// The exit status for a report: success unless a problem remains.
    func exitCode(_ report: Report) -> ExitCode
}

/// A member of a report that is `null` in JSON rather than missing when there is no value.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Nullable: Sendable where Value: Sendable {}

extension Encodable {
    /// The text that `--json` prints.
    var jsonText: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// The options that all subcommands share.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result, or an error, as JSON.")
    var json = false
}

extension AdminCommand {
    static var needsCurrentSchema: Bool { true }

    func exitCode(_ report: Report) -> ExitCode { .success }

    func text(of report: Report) throws -> String { try standardText(of: report) }

    /// The report's description, or JSON with `--json`.
    func standardText(of report: Report) throws -> String {
        output.json ? try report.jsonText : report.description
    }

    func run() async throws { try await runWithDatabase() }

    func runWithDatabase() async throws {
        let report: Report
        do {
            let reader = SettingsReader()
            let session = try BlockingSession(
                connectionString: reader.value(Settings.database.url))
            if Self.needsCurrentSchema {
                try Migrator(session, Migration.embedded()).check()
            }
            report = try await perform(session)
        } catch let error as PostgresError {
            throw OperatorError(error)
        } catch {
            // What a page would refuse, too.
            guard let words = Words(refusal: error) else { throw error }
            throw OperatorError(words.string(in: .en))
        }
        let text = try text(of: report)
        if !text.isEmpty { print(text) }
        let code = exitCode(report)
        if code != .success { throw code }
    }
}

/// How many rows a seeding command added or changed.
struct SeedReport: Encodable, CustomStringConvertible {
    private let what: String
    let added: Int
    let updated: Int
    let unchanged: Int

    init(_ changes: BulkStore.Changes, what: String) {
        self.what = what
        added = changes.added
        updated = changes.updated
        unchanged = changes.unchanged
    }

    /// Nothing was to be done.
    init(unchanged: Int, what: String) {
        self.init(BulkStore.Changes(added: 0, updated: 0, unchanged: unchanged), what: what)
    }

    enum CodingKeys: CodingKey {
        case added, updated, unchanged
    }

    var description: String {
        added == 0 && updated == 0
            ? "Nothing to do: all \(unchanged) \(what) are already in the database."
            : "\(added) \(what) added, \(updated) updated, \(unchanged) unchanged."
    }
}
