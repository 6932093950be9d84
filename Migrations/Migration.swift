import Crypto
import Encodings
import Foundation

/// One file of the migrations folder, `NNNN_name.sql`.
public struct Migration: Sendable {
    public let version: Int
    public let name: String
    /// In order; at least one.
    public let steps: [MigrationStep]
    /// The oldest version of the schema whose servers go on working once this migration is applied.
    /// `nil` if no server that was started before can.
    public let oldestServer: Int?
    /// SHA-256 of the file's bytes, in hexadecimal.
    public let checksum: String

    public var fileName: String {
        String(repeating: "0", count: max(0, 4 - String(version).count)) + "\(version)_\(name).sql"
    }

    /// - Throws: `Malformed` if a line that begins like a directive is not one.
    init(
        version: Int, name: String, contents: Data
    ) throws(MigrationStep.Malformed) {
        self.version = version
        self.name = name
        checksum = Hexadecimal.encode(SHA256.hash(data: contents))
        (steps, oldestServer) = try MigrationStep.parse(String(decoding: contents, as: UTF8.self))
    }

    /// Reads a folder's migrations, in order.
    ///
    /// - Throws: `MigrationError` if the folder cannot be read, a file name is malformed, or the
    ///   versions are not 1, 2, 3 ….
    public static func load(from folder: String) throws(MigrationError) -> [Migration] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw MigrationError(.unreadable, "The migrations folder \(folder) cannot be read.")
        }
        var files: [(name: String, contents: Data)] = []
        for name in names where name.hasSuffix(".sql") {
            guard let contents = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                throw MigrationError(.unreadable, "\(folder)/\(name) cannot be read.")
            }
            files.append((name, contents))
        }
        return try sequence(files, of: folder)
    }

    /// Turns files into migrations, in order.
    ///
    /// - Parameters:
    ///   - files: The files' names and contents, in any order.
    ///   - folder: The folder of the files, for error messages.
    /// - Throws: `MigrationError` if a file name is malformed, or the versions are not 1, 2, 3 ….
    public static func sequence(
        _ files: [(name: String, contents: Data)], of folder: String
    ) throws(MigrationError) -> [Migration] {
        var migrations: [Migration] = []
        for (name, contents) in files.sorted(by: { $0.name < $1.name }) {
            guard let match = name.wholeMatch(of: /([0-9]{4})_([a-z0-9_]+)\.sql/),
                let version = Int(match.1)
            else {
                throw MigrationError(
                    .unreadable, "\(folder)/\(name) is not named like 0001_what_it_does.sql.")
            }
            do {
                migrations.append(
                    try Migration(version: version, name: String(match.2), contents: contents))
            } catch {
                throw MigrationError(.unreadable, "\(folder)/\(name): \(error.reason)")
            }
        }
        guard !migrations.isEmpty else {
            throw MigrationError(.unreadable, "There are no migrations in \(folder).")
        }
        for (index, migration) in migrations.enumerated() where migration.version != index + 1 {
            throw MigrationError(
                .unreadable,
                "\(folder)/\(migration.fileName) is in the place of number \(index + 1).")
        }
        return migrations
    }
}

/// Why a database doesn't have the schema that the code expects, or can't be migrated to it.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        /// The folder, or a file in it, can't be used.
        case unreadable
        /// A file was changed after it had been applied.
        case changed
        /// The database has migrations that the code does not know.
        case databaseIsNewer
        /// The database lacks migrations that the code needs.
        case databaseIsOlder
        /// The SQL of a migration failed, and none of its step's changes were kept.
        case failed
        /// Other transactions kept their locks for too long. Migrating again goes on from there.
        case blocked
        /// Servers are running that can't go on after a migration.
        case serversRunning
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
