import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("The locale of a database", .blocking)
struct LocaleTests {
    /// Calls `body` with a database that is made with these options.
    private func withDatabase(_ options: String, _ body: (BlockingSession) throws -> Void) throws {
        let neighbour = try TestDatabase(.empty)
        let name = "\(neighbour.name)_locale"
        let administrator = try neighbour.session()
        try administrator.execute("CREATE DATABASE \(name) TEMPLATE template0 \(options)")
        defer { try? administrator.execute("DROP DATABASE \(name) WITH (FORCE)") }
        try body(BlockingSession(connectionString: neighbour.url, database: name))
    }

    @Test(
        "is refused before anything is made, if it doesn't fold the letters of all scripts as others do",
        arguments: [
            ("LC_COLLATE 'C' LC_CTYPE 'C'", "--encoding UTF8 --locale C.UTF-8"),
            ("LC_COLLATE 'POSIX' LC_CTYPE 'POSIX'", "--encoding UTF8 --locale C.UTF-8"),
            // pg_trgm would know no letters outside ASCII.
            (
                "LC_CTYPE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'und'",
                "--encoding UTF8 --locale-provider libc --locale C.UTF-8"
            ),
            // I is not the capital of i.
            (
                "LOCALE_PROVIDER icu ICU_LOCALE 'tr'",
                "--encoding UTF8 --locale-provider libc --locale C.UTF-8"
            ),
            ("LOCALE_PROVIDER icu ICU_LOCALE 'az'", "--locale-provider libc"),
            ("LOCALE_PROVIDER icu ICU_LOCALE 'lt'", "--locale-provider libc"),
            ("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'", "has the encoding LATIN1"),
            ("ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'", "has the encoding SQL_ASCII"),
            ("ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C'", "has the encoding EUC_JP"),
        ])
    func refused(options: String, words: String) throws {
        try withDatabase(options) { session in
            let error = #expect(throws: MigrationError.self) {
                try Migrator(session, Migration.embedded()).migrate()
            }
            #expect(error?.code == .unsuitable)
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            let tables: Int = try session.query(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")[0][0]
            #expect(tables == 0)
        }
    }

    @Test(
        "that is accepted folds names as every other",
        arguments: [
            "LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'", "LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'",
            "LOCALE_PROVIDER icu ICU_LOCALE 'und'", "LOCALE_PROVIDER icu ICU_LOCALE 'el'",
            "LOCALE_PROVIDER icu ICU_LOCALE 'de-u-kn-kc-ks-level1'",
        ])
    func accepted(options: String) throws {
        try withDatabase(options) { session in
            let names = Array(try Migration.embedded().prefix(1))
            _ = try Migrator(session, names).migrate()
            for (name, folded) in [
                ("ВЕДЬМАК 3", "ведьмак 3"), ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"), ("Οδυσσευς", "οδυσσευσ"),
                ("İSTANBUL I", "istanbul i"), ("ＦＦⅦ", "ffvii"), ("Straße ÆØÅ", "strasse aeoa"),
                ("ぜるだ", "ゼルダ"),
            ] {
                #expect(try session.query("SELECT fold_name($1)", [.text(name)])[0][0] == folded)
            }
            let similarity: Bool = try session.query(
                "SELECT word_similarity('ведьмак', fold_name('ВЕДЬМАК 3')) = 1")[0][0]
            #expect(similarity)
        }
    }
}
