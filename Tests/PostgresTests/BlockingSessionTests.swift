import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite("A blocking session", .blocking)
struct BlockingSessionTests {
    private let schema: TestSchema
    private let session: BlockingSession

    init() throws {
        schema = try TestSchema()
        session = try schema.session()
        try session.execute("CREATE TABLE t (id integer, a text, b text)")
    }

    private func copy(_ rows: [[String?]]) throws {
        var lines = ""
        for row in rows { CopyLine.append(row, to: &lines) }
        try session.copy("t", columns: ["id", "a", "b"], lines)
    }

    @Test("copies texts as they are: tabs, line ends, backslashes, quotes, NULLs")
    func escapes() throws {
        let texts: [String?] = [
            "plain", "", nil, "\t", "a\tb", "\n", "\r", "\r\n", "line\nline", "\\", "\\N", "\\.",
            "\\t", "\\\\", "'\"", "🎮 日本語", "e\u{301}", ",;|", "ends in \\", "\u{1}\u{7F}",
        ]
        try copy(texts.enumerated().map { ["\($0)", $1, "b"] })
        let rows = try session.query("SELECT a, b FROM t ORDER BY id")
        #expect(rows.count == texts.count)
        for (row, text) in zip(rows, texts) {
            let back: String? = try row[0]
            #expect(back.map { Array($0.utf8) } == text.map { Array($0.utf8) })
            #expect(try row[1] == "b")
        }
    }

    @Test("copies texts without the NULs that they cannot have")
    func nul() throws {
        try copy([["1", "a\0b", nil]])
        #expect(try session.query("SELECT a FROM t")[0][0] == "ab")
    }

    @Test("copies many rows, and none")
    func many() throws {
        try copy([])
        try copy((0..<20_000).map { ["\($0)", "text \($0)", nil] })
        #expect(try session.query("SELECT count(*) FROM t")[0][0] == 20_000)
    }

    @Test("reports a row that cannot be copied, keeps none, and goes on")
    func badRow() throws {
        let error = #expect(throws: PostgresError.self) {
            try copy([["1", "a", "b"], ["x", "a", "b"]])
        }
        #expect(error?.sqlState == "22P02")
        #expect(try session.query("SELECT count(*) FROM t")[0][0] == 0)
        #expect(throws: PostgresError.self) { try session.copy("nowhere", columns: ["x"], "1\n") }
        try copy([["1", "a", "b"]])
        #expect(try session.query("SELECT count(*) FROM t")[0][0] == 1)
    }

    @Test("keeps what a transaction did, or nothing if its body throws")
    func transactions() throws {
        try session.withTransaction { try copy([["1", "a", "b"]]) }
        #expect(throws: TestFailure.self) {
            try session.withTransaction {
                try copy([["2", "a", "b"]])
                throw TestFailure("no")
            }
        }
        #expect(throws: PostgresError.self) {
            try session.withTransaction {
                try copy([["3", "a", "b"]])
                try session.query("SELECT 1 / 0")
            }
        }
        #expect(!session.isInTransaction)
        #expect(try session.query("SELECT count(*) FROM t")[0][0] == 1)
    }

    @Test(
        "says in the server's own words why it was ended between two statements",
        arguments: [
            "SELECT 1", "COPY (SELECT generate_series(1, 3)) TO STDOUT", "COPY t FROM STDIN",
        ])
    func lastWords(statement: String) throws {
        let ended = try schema.session()
        let process: Int = try ended.query("SELECT pg_backend_pid()")[0][0]
        try schema.terminate(process)
        let error = #expect(throws: PostgresError.self) { try ended.execute(statement) }
        #expect(error?.sqlState == SQLState.adminShutdown)
        #expect(error?.debugDescription.contains("terminating connection due to") == true)
    }

    @Test("says in the server's own words which limit of time ended it")
    func ownWords() throws {
        let ended = try schema.session()
        try ended.execute("SET idle_in_transaction_session_timeout = 1; BEGIN")
        let error = #expect(throws: PostgresError.self) {
            while true {
                usleep(1000)
                try ended.execute("SELECT 1")
            }
        }
        #expect(error?.sqlState == "25P03")
        #expect(error?.debugDescription.contains("idle-in-transaction timeout") == true)
    }
}
