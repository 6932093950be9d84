public import CLibPQ

/// The rows that a statement returned, in PostgreSQL's binary format. They are read in place, in
/// libpq's memory.
// @unchecked: a PGresult doesn't change after libpq has returned it, and any thread may read it;
// section 34.20 of the manual.
public final class Rows: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let result: OpaquePointer
    public let count: Int
    @usableFromInline let columnCount: Int
    /// When the statement was executed; `nil` for a blocking session's. Set before anyone else gets the
    /// rows.
    public internal(set) var execution: Execution?

    /// Takes ownership of the result, which is cleared on deallocation.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    deinit { PQclear(result) }

    /// The memory that the rows take, in bytes.
    public var size: Int { PQresultMemorySize(result) }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < count, "no such row")
        return Row(rows: self, index: Int32(position))
    }

    /// How many rows the statement inserted, updated or deleted.
    public var affectedCount: Int {
        PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The command tag, for example `COMMIT`.
    var commandTag: String {
        PQcmdStatus(result).map { String(cString: $0) } ?? ""
    }

    @inlinable
    func value<Value: PostgresDecodable>(
        _ row: Int32, _ column: Int, as type: Value.Type
    ) throws(PostgresError) -> Value {
        guard column >= 0, column < columnCount else {
            throw PostgresError(.unexpectedResult, detail: "column \(column) of \(columnCount)")
        }
        let column32 = Int32(column)
        if PQgetisnull(result, row, column32) == 1 {
            guard let null = Value.null else { throw mismatch(column32, "NULL", type) }
            return null
        }
        guard
            let value = Value(
                postgres: bytes(row, column32), type: PostgresType(PQftype(result, column32)))
        else { throw mismatch(column32, "type \(PQftype(result, column32))", type) }
        return value
    }

    /// A column's bytes in libpq's memory; empty for NULL.
    @inlinable
    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }

    @usableFromInline
    func mismatch(_ column: Int32, _ found: String, _ wanted: Any.Type) -> PostgresError {
        let name = PQfname(result, column).map { String(cString: $0) } ?? "\(column)"
        return PostgresError(
            .unexpectedResult, detail: "column \(name): \(found) where \(wanted) is expected")
    }
}

/// One row of a result. Columns are numbered from 0, in the statement's order.
public struct Row: Sendable {
    @usableFromInline let rows: Rows
    @usableFromInline let index: Int32

    @inlinable
    init(rows: Rows, index: Int32) {
        self.rows = rows
        self.index = index
    }

    /// Whether a column is NULL. Also true if there is no such column.
    @inlinable
    public func isNull(_ column: Int) -> Bool {
        PQgetisnull(rows.result, index, Int32(column)) == 1
    }

    /// Whether two rows of the same result have the same first column, byte for byte.
    @inlinable
    func hasSameFirstColumn(as other: Row) -> Bool {
        rows.bytes(index, 0).elementsEqual(rows.bytes(other.index, 0))
    }

    /// - Throws: `unexpectedResult` if the column has another type, or is NULL although `Value` is
    ///   not optional. Either is a bug in the program, not a fault in the data.
    @inlinable
    public subscript<Value: PostgresDecodable>(column: Int) -> Value {
        get throws(PostgresError) { try rows.value(index, column, as: Value.self) }
    }
}
