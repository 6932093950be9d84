import Postgres

extension Migrator {
    /// Checks that the database folds and searches texts as every other one does, in any script.
    ///
    /// - Throws: `MigrationError`, which says how to make a database that does.
    public func checkLocale() throws {
        // In ASCII, and no character that the encoding lacks: the database could read neither.
        let row = try session.query(
            """
            SELECT datname::text, getdatabaseencoding()::text, datctype::text,
                   coalesce(to_jsonb(d) ->> 'datlocprovider', 'c'),
                   -- Each version has other columns.
                   concat_ws(', ', datctype, to_jsonb(d) ->> 'daticulocale',
                             to_jsonb(d) ->> 'datlocale')
            FROM pg_database d WHERE datname = current_database()
            """)[0]
        let (name, encoding): (String, String) = (try row[0], try row[1])
        let (characterType, provider): (String, String) = (try row[2], try row[3])
        let locale: String = try row[4]
        // A server before PostgreSQL 15 has only this provider.
        let option = provider == "c" ? "" : " --locale-provider libc"
        let advice = """
            Make another database with createdb --encoding UTF8\(option) --locale C.UTF-8 \
            --template template0, and name it in DATABASE_URL.
            """
        guard encoding == "UTF8" else {
            throw MigrationError(
                .unsuitable,
                "The database \(name) has the encoding \(encoding), and must have UTF8. \(advice)")
        }
        // pg_trgm asks the C library what a letter is, whichever provider the database has.
        let knowsLetters = characterType != "C" && characterType != "POSIX"
        guard try knowsLetters && session.query(Self.foldsCapitals)[0][0] else {
            throw MigrationError(
                .unsuitable,
                """
                The locale of the database \(name) (\(locale)) doesn't fold capitals as \
                others do, so searches would miss names. \(advice)
                """)
        }
    }

    /// Latin, Greek and Cyrillic capitals: the small letter follows 32 places later.
    private static let foldsCapitals = """
        SELECT bool_and(lower(chr(capital)) = chr(capital + 32))
        FROM (VALUES (65, 90), (192, 214), (216, 222), (913, 929), (931, 939), (1040, 1071))
             AS alphabets (first, last)
        CROSS JOIN generate_series(first, last) capital
        """
}
