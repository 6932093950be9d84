import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Values", .blocking)
struct TypesTests {
    /// Sends a value as a parameter and reads it back.
    private static func echo<Value: PostgresDecodable & Sendable>(
        _ type: String, _ parameter: PostgresParameter
    ) async throws -> Value {
        try await withPool(TestSchema.database.get().url, connections: 1) { pool in
            try await pool.query(.read("SELECT $1::\(type)"), [parameter])[0][0]
        }
    }

    @Test("that are integers come back as they went, up to the ends of their ranges")
    func integers() async throws {
        for value in [0, 1, -1, Int(Int16.max), Int(Int16.min)] {
            #expect(try await Self.echo("smallint", .int(value)) == value)
        }
        for value in [0, Int(Int32.max), Int(Int32.min)] {
            #expect(try await Self.echo("integer", .int(value)) == value)
        }
        for value in [0, Int.max, Int.min] {
            #expect(try await Self.echo("bigint", .int(value)) == value)
        }
        #expect(try await Self.echo("integer", .int(nil)) as Int? == nil)
    }

    @Test(
        "that are texts come back as they went",
        arguments: [
            "", " ", "O'Neill \"quoted\"", "back\\slash \\n \\\\", "line\nfeed\r\n\ttab",
            "🎮👩‍👩‍👧‍👦 日本語 e\u{301} é", "$1 %s {}, NULL", String(repeating: "é", count: 100_000),
        ])
    func texts(text: String) async throws {
        let back: String = try await Self.echo("text", .text(text))
        #expect(Array(back.utf8) == Array(text.utf8))
    }

    @Test("that are texts lose their NULs, which PostgreSQL cannot hold, and nothing else")
    func textsWithNUL() async throws {
        #expect(try await Self.echo("text", .text("a\0b\0")) == "ab")
        #expect(try await Self.echo("text[]", .texts(["a\0b", "\0"])) == ["ab", ""])
    }

    @Test("that are booleans, UUIDs and NULLs come back as they went")
    func others() async throws {
        #expect(try await Self.echo("boolean", .bool(true)) == true)
        #expect(try await Self.echo("boolean", false) == false)
        let id = UUID()
        #expect(try await Self.echo("uuid", .uuid(id)) == id)
        #expect(try await Self.echo("uuid", .uuid(nil)) as UUID? == nil)
        #expect(try await Self.echo("text", nil) as String? == nil)
    }

    @Test("that are times are exact to the microsecond, before and after 2000")
    func times() async throws {
        for seconds in [0, 946_684_800, 1_790_000_000.25, -86_400.5, 4_102_444_800.000001] {
            let parameter = PostgresParameter.text("\(String(format: "%.6f", seconds))")
            let date: Date = try await withPool(TestSchema.database.get().url, connections: 1) {
                pool in
                try await pool.query(
                    .read("SELECT timestamptz 'epoch' + $1::float8 * interval '1 s'"), [parameter]
                )[0][0]
            }
            #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_002)
        }
    }

    @Test("that are floating-point numbers come back as they went")
    func floats() async throws {
        for value in [0, 1.5, -2.25, 1e300, .infinity, Double.pi] {
            #expect(try await Self.echo("float8", .text("\(value)")) == value)
        }
        #expect(try await Self.echo("float4", "0.5") == 0.5)
        #expect((try await Self.echo("float8", "NaN") as Double).isNaN)
    }

    @Test("that are arrays come back as they went, with NULLs, quotes and empty texts")
    func arrays() async throws {
        let texts = [
            "a", nil, "", "NULL", "null", "\"", "\\", "{}", "a,b", " spaced ", "🎲\n\t", "\\\"",
        ]
        #expect(try await Self.echo("text[]", .texts(texts)) == texts)
        #expect(try await Self.echo("text[]", .texts([])) as [String] == [])
        #expect(try await Self.echo("integer[]", .ints([3, -1, 0])) == [3, -1, 0])
        #expect(try await Self.echo("bigint[]", .ints([Int.max])) == [Int.max])
        #expect(try await Self.echo("integer[]", .ints([])) as [Int] == [])
        #expect(try await Self.echo("integer[]", "{1,NULL}") as [Int?] == [1, nil])
        let ids = [UUID(), UUID()]
        #expect(try await Self.echo("uuid[]", .uuids(ids)) == ids)
    }

    @Test("of another type than the code expects are an error that names the column")
    func wrongTypes() async throws {
        let session = try TestSchema.database.get().session()
        let row = try session.query(
            "SELECT 1 AS one, NULL::text AS nothing, 'x' AS word, ARRAY[[1],[2]] AS matrix")[0]
        func message(_ body: () throws(PostgresError) -> Void) -> String {
            do {
                try body()
                return "no error"
            } catch {
                return error.code == .unexpectedResult ? error.debugDescription : "\(error)"
            }
        }
        #expect(message { () throws(PostgresError) in _ = try row[0] as String }.contains("one"))
        #expect(
            message { () throws(PostgresError) in _ = try row[1] as String }
                .contains("nothing: NULL"))
        #expect(message { () throws(PostgresError) in _ = try row[2] as Int }.contains("word"))
        #expect(message { () throws(PostgresError) in _ = try row[2] as Bool? }.contains("word"))
        #expect(message { () throws(PostgresError) in _ = try row[3] as [Int] }.contains("matrix"))
        #expect(message { () throws(PostgresError) in _ = try row[4] as Int }.contains("column 4"))
        #expect(
            message { () throws(PostgresError) in _ = try row[-1] as Int }.contains("column -1"))
        #expect(try row[0] == 1)
    }

    @Test("of an array with a NULL are an error where none is expected")
    func arrayWithNull() throws {
        let row = try TestSchema.database.get().session().query("SELECT ARRAY[1, NULL]")[0]
        #expect(throws: PostgresError.self) { try row[0] as [Int] }
        #expect(try row[0] as [Int?] == [1, nil])
    }

    @Test("are counted when a statement changes rows")
    func affectedRows() throws {
        let session = try TestSchema.database.get().session()
        try session.execute("CREATE TEMPORARY TABLE t (x integer)")
        #expect(
            try session.query("INSERT INTO t SELECT generate_series(1, 7)").affectedCount == 7)
        #expect(try session.query("DELETE FROM t WHERE x > $1", [.int(5)]).affectedCount == 2)
        #expect(try session.query("SELECT x FROM t WHERE false").isEmpty)
    }
}
