import TestSupport
import Testing

@testable import Postgres

@Suite("Typed rows", .blocking)
struct QueryTests {
    private let schema: TestSchema
    private let session: BlockingSession

    init() throws {
        schema = try TestSchema()
        session = try schema.session()
    }

    private struct Point: Equatable {
        let x: Int
        let name: String?
    }

    private static let point = Columns(["p.x", "p.name"]) { row throws(PostgresError) in
        try Point(x: row.next(), name: row.next())
    }

    private static let points = "(VALUES (1, 'one'), (1, NULL), (2, 'two')) AS p (x, name)"

    @Test("are read by their columns, in order")
    func rows() throws {
        let query = Query(
            "q", .read, columns(column("x + 10", Int.self), Self.point, column("true", Bool.self))
        ) { "SELECT \($0) FROM \(Self.points)" }
        #expect(query.sql == "SELECT x + 10, p.x, p.name, true FROM \(Self.points)")
        let rows = try session.query(query)
        #expect(rows.map(\.0) == [11, 11, 12])
        #expect(
            rows.map(\.1) == [
                Point(x: 1, name: "one"), Point(x: 1, name: nil), Point(x: 2, name: "two"),
            ])
        #expect(rows.map(\.2) == [true, true, true])
    }

    @Test("are nothing where an outer join found nothing, and what follows is still read")
    func optional() throws {
        let query = Query(
            "q", .read, columns(Self.point.optional, column("n", Int.self))
        ) { "SELECT \($0) FROM generate_series(2, 3) n LEFT JOIN \(Self.points) ON p.x = n" }
        let rows = try session.query(query).sorted { $0.1 < $1.1 }
        #expect(rows.map(\.0) == [Point(x: 2, name: "two"), nil])
        #expect(rows.map(\.1) == [2, 3])
    }

    @Test("come in groups, of which one may be empty")
    func groups() throws {
        let query = GroupedQuery(
            "q", .read, by: columns(column("n", Int.self), column("-n", Int.self)), Self.point
        ) {
            """
            SELECT \($0) FROM generate_series(1, 3) n LEFT JOIN \(Self.points) ON p.x = n
            ORDER BY n, p.name
            """
        }
        let rows = try session.query(query.sql)
        let groups = try query.read(rows)
        #expect(groups.map(\.key.0) == [1, 2, 3])
        #expect(groups.map(\.key.1) == [-1, -2, -3])
        #expect(
            groups.map(\.values) == [
                [Point(x: 1, name: "one"), Point(x: 1, name: nil)], [Point(x: 2, name: "two")], [],
            ])
    }

    @Test("are an error where a column is of another type, or there is no row")
    func mismatches() throws {
        func query(_ columns: Columns<Int>, _ rest: String = "") -> Query<Int> {
            Query("q", .read, columns) { "SELECT \($0)\(rest)" }
        }
        for wrong in [query(column("'text'")), query(column("NULL::integer"))] {
            let error = #expect(throws: PostgresError.self) { try session.query(wrong) }
            #expect(error?.code == .unexpectedResult)
        }
        let none = #expect(throws: PostgresError.self) {
            try session.row(query(column("1"), " WHERE false"))
        }
        #expect(none?.code == .unexpectedResult)
        #expect(try session.row(query(column("1"))) == 1)
    }
}
