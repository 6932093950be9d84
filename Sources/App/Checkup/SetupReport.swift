import CRelease
import FaveGames
import Foundation
import Glibc
import Migrations
import Postgres
import Storage
import StorageWrites

/// What a bug report should say of a setup. Everyone may read it: only what is known to be harmless is in
/// it, so no secrets, no addresses, and no names of people, machines, roles, databases or files.
struct SetupReport: CustomStringConvertible {
    let description: String

    private static let tableLimit = 10

    /// - Parameter findings: Those of a checkup of this setup.
    init(_ reader: SettingsReader, _ findings: [Finding]) {
        let (schema, tables) = Self.database(reader)
        let settings = Settings.all.compactMap { setting in
            reader.shareableText(setting).map { "\(setting.name): \($0)" }
        }
        let unknown = Settings.warnings(about: reader.variableNames).count
        let sections = [
            ("Versions", Self.versions(schema: schema)),
            ("Findings", findings.map(\.shareableLine)),
            (
                "What is set",
                settings + (unknown > 0 ? ["and \(unknown) that look like settings"] : [])
            ),
            ("The largest tables", tables),
        ]
        description = sections.map { title, lines in
            "\(title)\n"
                + (lines.isEmpty ? ["none"] : lines).map { "    \($0)" }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func versions(schema: String) -> [String] {
        let expected = (try? Migration.embedded().count) ?? 0
        return [
            Release.description(schema: expected), "the database's schema: \(schema)",
            "\(system), \(UsableProcessors.count) cores",
        ]
    }

    /// The distribution and the kernel, without what the machine's owner may have named.
    private static var system: String {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let words = EnvironmentFile.variables(release)
        let name = [words["ID"], words["VERSION_ID"]].compactMap { $0 }.joined(separator: " ")
        var kernel = utsname()
        uname(&kernel)
        let version = withUnsafeBytes(of: kernel.release, text(untilNUL:)).prefix {
            $0.isNumber || $0 == "."
        }
        let machine = withUnsafeBytes(of: kernel.machine, text(untilNUL:))
        return "\(name.isEmpty ? "unknown system" : name), Linux \(version), \(machine)"
    }

    private static func text(untilNUL bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The number of the last migration, and how large the tables are, roughly. Tables of other programs in
    /// the same database are left out.
    private static func database(_ reader: SettingsReader) -> (schema: String, tables: [String]) {
        do {
            let session = try BlockingSession(
                connectionString: reader.value(Settings.database.url),
                applicationName: "fave-admin")
            let schema = (try? BulkStore(session).appliedMigration()).map(String.init)
            let own = StoredData.all.flatMap { $0.parts.flatMap(\.tables) }
            let rows = try session.query(
                """
                SELECT relname::text, reltuples::bigint, pg_total_relation_size(oid)
                FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                ORDER BY 3 DESC, 1
                """)
            let known = StoredData.otherTables.union(own)
            let tables = try rows.compactMap { row -> String? in
                let (name, count, bytes): (String, Int, Int) = (try row[0], try row[1], try row[2])
                guard known.contains(name) else { return nil }
                // PostgreSQL hasn't counted them yet.
                let rows = count < 0 ? "some" : "about \(count.rounded)"
                return "\(name): \(rows) rows, \((bytes / 1024).rounded) KiB"
            }.prefix(tableLimit)
            return (schema ?? "none", Array(tables))
        } catch {
            return ("unknown", [])
        }
    }
}

extension Int {
    /// With two digits that say something.
    fileprivate var rounded: Int {
        var unit = 1
        while self / unit >= 100 { unit *= 10 }
        return self / unit * unit
    }
}
