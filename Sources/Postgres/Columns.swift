/// The columns of a statement and how to read them as a value. Because both are declared together,
/// code never has to refer to a column by number.
public struct Columns<Value>: Sendable {
    /// The SQL expressions, in order.
    public let expressions: [String]
    @usableFromInline
    let read: @Sendable (inout RowReader) throws(PostgresError) -> Value

    /// - Parameter read: Reads one column for each expression, in their order.
    @inlinable
    public init(
        _ expressions: [String],
        read: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Value
    ) {
        self.expressions = expressions
        self.read = read
    }

    /// The expressions, separated by commas, as a statement lists them.
    public var sql: String { expressions.joined(separator: ", ") }

    /// The same columns, read as `nil` if the first one is NULL: for the optional side of an outer
    /// join.
    @inlinable
    public var optional: Columns<Value?> {
        Columns<Value?>(expressions) { [read, expressions] row throws(PostgresError) in
            guard !row.isNull else {
                row.skip(expressions.count)
                return nil
            }
            return try read(&row)
        }
    }
}

/// A single column.
@inlinable
public func column<Value: PostgresDecodable & Sendable>(
    _ expression: String, _ type: Value.Type = Value.self
) -> Columns<Value> {
    Columns([expression]) { row throws(PostgresError) in try row.next() }
}

/// The columns of several values, one after the other.
@inlinable
public func columns<each Part>(_ part: repeat Columns<each Part>) -> Columns<(repeat each Part)> {
    var expressions: [String] = []
    for part in repeat each part { expressions += part.expressions }
    return Columns(expressions) { row throws(PostgresError) in
        (repeat try row.next(each part))
    }
}

/// Reads the columns of a row one after the other.
public struct RowReader {
    @usableFromInline let row: Row
    @usableFromInline var column: Int

    @inlinable
    init(_ row: Row, from column: Int = 0) {
        self.row = row
        self.column = column
    }

    /// Whether the next column is NULL.
    @inlinable
    public var isNull: Bool { row.isNull(column) }

    /// - Throws: `unexpectedResult` if the column has another type, or is NULL although `Value` is
    ///   not optional. Either is a bug in the program, not a fault in the data.
    @inlinable
    public mutating func next<Value: PostgresDecodable>() throws(PostgresError) -> Value {
        defer { column += 1 }
        return try row[column]
    }

    @inlinable
    public mutating func next<Value>(_ columns: Columns<Value>) throws(PostgresError) -> Value {
        try columns.read(&self)
    }

    @inlinable
    mutating func skip(_ count: Int) { column += count }
}
