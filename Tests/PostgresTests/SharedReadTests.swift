import TestSupport
import Testing

@testable import Postgres

@Suite("Equal reads that wait together", .blocking)
struct SharedReadTests {
    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        try schema.session().execute(
            "CREATE SEQUENCE asked; CREATE TABLE t AS SELECT 0 AS x")
    }

    /// What so many tasks get that ask at once.
    private static func gather<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // Not really a read: it tells how often it was executed.
    private static let next = Statement.read("SELECT nextval('asked')")

    @Test("are executed once for many", arguments: [1, 3])
    func shared(connections: Int) async throws {
        let values: [Int] = try await withPool(schema.url, connections: connections) { pool in
            try await Self.gather(200) { _ in try await pool.query(Self.next)[0][0] }
        }
        #expect(values.count == 200)
        #expect(Set(values).count < 100)
    }

    @Test("are executed each for itself when sharing is off, and so are writes in any case")
    func notShared() async throws {
        let values: [Int] = try await withPool(schema.url) {
            $0.sharesReads = false
        } _: { pool in
            try await Self.gather(200) { _ in try await pool.query(Self.next)[0][0] }
        }
        #expect(Set(values).count == 200)
        let written: [Int] = try await withPool(schema.url) { pool in
            let write = Statement.write("SELECT nextval('asked')")
            return try await Self.gather(200) { _ in try await pool.query(write)[0][0] }
        }
        #expect(Set(written).count == 200)
    }

    @Test("are equal only if their parameters are, to the byte")
    func parameters() async throws {
        // The last two look alike, and are equal as Swift's strings.
        let texts = ["", "1", "01", " 1", "\u{E9}", "e\u{301}"]
        let parameters: [PostgresParameter] = texts.map { .text($0) } + [nil]
        let statement = Statement.read("SELECT octet_length($1)")
        let lengths: [[Int?]] = try await withPool(schema.url, connections: 1) { pool in
            // Until it is connected all of them wait.
            try await Self.gather(parameters.count * 3) { number in
                let index = number % parameters.count
                return [index, try await pool.query(statement, [parameters[index]])[0][0]]
            }
        }
        for length in lengths {
            let index = try #require(length[0])
            #expect(length[1] == (index < texts.count ? texts[index].utf8.count : nil))
        }
    }

    @Test("fail together, and leave other reads alone")
    func errors() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let states = try await Self.gather(60) { number in
                let divisor = number.isMultiple(of: 2) ? 0 : number
                return (
                    divisor,
                    await postgresError {
                        _ = try await pool.query(.read("SELECT 1 / $1::int"), [.int(divisor)])
                    }?.sqlState
                )
            }
            for (divisor, state) in states { #expect(state == (divisor == 0 ? "22012" : nil)) }
        }
    }

    @Test("see what was written before they were asked")
    func freshness() async throws {
        try await withPool(schema.url, connections: 3) { pool in
            let write = Statement.write("UPDATE t SET x = x + 1 RETURNING x")
            let read = Statement.read("SELECT x FROM t")
            let pairs = try await Self.gather(40) { _ in
                var pairs: [(Int, Int)] = []
                for _ in 0..<10 {
                    let written: Int = try await pool.query(write)[0][0]
                    pairs.append((written, try await pool.query(read)[0][0]))
                }
                return pairs
            }
            for (written, found) in pairs.joined() { #expect(found >= written) }
        }
    }

    @Test("inside transactions belong to them")
    func transactions() async throws {
        try await withPool(schema.url, connections: 2) { pool in
            let values = try await Self.gather(20) { _ in
                try await pool.withTransaction { try await $0.query(Self.next)[0][0] as Int }
            }
            #expect(Set(values).count == 20)
        }
    }
}
