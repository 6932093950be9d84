extension TestDatabase {
    /// Moves the clock that the program's statements and the schema read, as if PostgreSQL ran on a machine
    /// whose clock is wrong.
    ///
    /// - Returns: The address of the database with that clock.
    public func movingClock(hours: Int) throws -> String {
        let session = try session()
        for (name, volatility) in [("now", "STABLE"), ("clock_timestamp", "VOLATILE")] {
            try session.execute(
                """
                CREATE SCHEMA IF NOT EXISTS moved;
                CREATE FUNCTION moved.\(name)() RETURNS timestamptz LANGUAGE sql \(volatility)
                    RETURN pg_catalog.\(name)() + interval '\(hours) hours'
                """)
        }
        // Unlike functions, which find it by the path, defaults name the clock that they were made with.
        try session.execute(
            """
            DO $$ DECLARE statement text;
            BEGIN
                FOR statement IN
                    SELECT format('ALTER TABLE %s ALTER %I SET DEFAULT moved.%s', d.adrelid::regclass,
                                  a.attname, pg_get_expr(d.adbin, d.adrelid))
                    FROM pg_attrdef d
                    JOIN pg_attribute a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
                    WHERE pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'clock_timestamp()')
                      AND d.adrelid::regclass::text NOT LIKE 'pg_%'
                LOOP
                    EXECUTE statement;
                END LOOP;
            END $$
            """)
        return url + " options='-c search_path=moved,public,pg_catalog'"
    }
}
