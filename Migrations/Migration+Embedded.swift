import EmbeddedFiles
import Foundation
import Postgres

extension Migration {
    /// The migrations that are embedded in the program: the files of this folder.
    ///
    /// - Throws: `MigrationError` if their names do not form a sequence.
    package static func embedded() throws(MigrationError) -> [Migration] {
        let files = EmbeddedFile.all.filter { $0.name.hasSuffix(".sql") }
        return try sequence(files.map { ($0.name, Data($0.contents)) }, of: "Migrations")
    }

    /// The name of a server's connections to PostgreSQL: it tells a migrator which schema the server
    /// knows.
    package static func applicationName(_ migrations: [Migration]) -> String {
        "fave-server \(migrations.count)"
    }
}
