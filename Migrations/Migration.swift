import Crypto
import Encodings
public import Foundation

/// One file of the migrations folder, `NNNN_name.sql`.
public struct Migration: Sendable {
    public let version: Int
    public let name: String
    /// SHA-256 of the file's bytes, in hexadecimal.
    public let checksum: String
    private let contents: Data

    public var fileName: String {
        String(repeating: "0", count: max(0, 4 - String(version).count)) + "\(version)_\(name).sql"
    }

    init(version: Int, name: String, contents: Data) {
        self.version = version
        self.name = name
        self.contents = contents
        checksum = Hexadecimal.encode(SHA256.hash(data: contents))
    }

    /// Reads the file's steps. Only a migration that is about to be applied is read: every start
    /// compares the checksums of all files.
    ///
    /// - Throws: `MigrationError` if a line that begins like a directive is not one, or if there is
    ///   SQL before the first step.
    func script() throws(MigrationError) -> MigrationScript {
        do {
            return try MigrationScript(parsing: String(decoding: contents, as: UTF8.self))
        } catch {
            throw MigrationError(.unreadable, "\(fileName): \(error.reason)")
        }
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
            guard let (version, words) = parts(ofFileName: name) else {
                throw MigrationError(
                    .unreadable, "\(folder)/\(name) is not named like 0001_what_it_does.sql.")
            }
            migrations.append(Migration(version: version, name: words, contents: contents))
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

    /// The number and the words in a name such as `0001_what_it_does.sql`.
    private static func parts(ofFileName name: String) -> (version: Int, words: String)? {
        let digits = name.prefix { $0.isASCII && $0.isWholeNumber }
        let words = name.dropFirst(5).dropLast(4)
        guard name.hasSuffix(".sql"), digits.count == 4, let version = Int(digits),
            name.dropFirst(4).first == "_", !words.isEmpty,
            words.utf8.allSatisfy({
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            })
        else { return nil }
        return (version, String(words))
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
        /// The encoding or the locale of the database makes texts compare in another way.
        case unsuitable
        /// The SQL of a migration failed. None of its step's changes was stored.
        case failed
        /// Other transactions held their locks for too long. Migrating again continues from there.
        case blocked
        /// Servers are running that won't work after a migration.
        case serversRunning
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
