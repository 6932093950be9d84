public import CLibPQ
public import Encodings

/// The rows that a statement returned, in PostgreSQL's binary format. They are read in place, in
/// libpq's memory.
///
/// Safe: libpq checks the numbers of rows and columns. The result is cleared once, with this object, and
/// no view of its memory outlives that.
// @unchecked: a PGresult doesn't change after libpq has returned it, and any thread may read it;
// section 34.20 of the manual.
@safe public final class Rows: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let result: OpaquePointer
    public let count: Int
    @usableFromInline let columnCount: Int
    /// When the statement was executed; `nil` for a blocking session's. Set before anyone else gets the
    /// rows.
    public internal(set) var execution: Execution?

    /// Takes ownership of the result, which is cleared on deallocation.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = unsafe Int(PQntuples(result))
        columnCount = unsafe Int(PQnfields(result))
    }

    deinit { unsafe PQclear(result) }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    /// The error that this is the result of.
    var error: PostgresError { unsafe PostgresError(result: result) }

    /// The memory that the rows take, in bytes.
    public var size: Int { unsafe PQresultMemorySize(result) }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < count, "no such row")
        return Row(rows: self, index: Int32(position))
    }

    /// How many rows the statement inserted, updated or deleted.
    public var affectedCount: Int {
        unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// The command tag, for example `COMMIT`.
    var commandTag: String {
        unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? ""
    }

    @inlinable
    func value<Value: PostgresDecodable>(
        _ row: Int32, _ column: Int, as type: Value.Type
    ) throws(PostgresError) -> Value {
        guard column >= 0, column < columnCount else {
            throw PostgresError(.unexpectedResult, detail: "column \(column) of \(columnCount)")
        }
        let column32 = Int32(column)
        let bytes = bytes(row, column32)
        // NULL has no bytes, and neither has an empty text.
        if bytes.isEmpty, isNull(row, column32) {
            guard let null = Value.null else { throw mismatch(column32, "NULL", type) }
            return null
        }
        let found = PostgresType(unsafe PQftype(result, column32))
        guard let value = Value(postgres: bytes, type: found) else {
            throw mismatch(column32, "type \(found.oid)", type)
        }
        return value
    }

    @inlinable
    func isNull(_ row: Int32, _ column: Int32) -> Bool {
        unsafe PQgetisnull(result, row, column) == 1
    }

    /// A column's bytes in libpq's memory; empty for NULL.
    @inlinable
    @_lifetime(borrow self)
    func bytes(_ row: Int32, _ column: Int32) -> Span<UInt8> {
        let memory = unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        return unsafe _overrideLifetime(Span(_unsafeBytes: memory), borrowing: self)
    }

    @inlinable
    func haveSame(_ column: Int32, _ row: Int32, _ other: Int32) -> Bool {
        bytes(row, column).isEqual(to: bytes(other, column))
    }

    @usableFromInline
    func mismatch(_ column: Int32, _ found: String, _ wanted: Any.Type) -> PostgresError {
        let name = unsafe PQfname(result, column).map { unsafe String(cString: $0) } ?? "\(column)"
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
        rows.isNull(index, Int32(column))
    }

    /// Whether two rows of the same result have the same first column, byte for byte.
    @inlinable
    func hasSameFirstColumn(as other: Row) -> Bool {
        rows.haveSame(0, index, other.index)
    }

    /// - Throws: `unexpectedResult` if the column has another type, or is NULL although `Value` is
    ///   not optional. Either is a bug in the program, not a fault in the data.
    @inlinable
    public subscript<Value: PostgresDecodable>(column: Int) -> Value {
        get throws(PostgresError) { try rows.value(index, column, as: Value.self) }
    }
}
