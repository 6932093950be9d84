/// A statement, and how each of its rows is read.
public struct Query<Output>: Sendable {
    public let statement: Statement
    @usableFromInline let columns: Columns<Output>

    /// - Parameters:
    ///   - name: As for a `Statement`.
    ///   - dependencies: The result's dependencies. The first one decides which rows there are. `nil`
    ///     if the result is never cached.
    ///   - respondsAtOnce: Whether its response must not wait for the statements behind it.
    ///   - reason: Why the rows are those for everyone, as for a `Statement`.
    ///   - sql: Makes the SQL from the columns, separated by commas. Without it, there is one row of the
    ///     columns, such as of a function that one of them calls.
    public init(
        _ name: String, _ effect: Statement.Effect, _ columns: Columns<Output>,
        of dependencies: [Dependency]? = nil, respondsAtOnce: Bool = false,
        unfiltered reason: String? = nil,
        _ sql: (_ columns: String) -> String = { "SELECT \($0)" }
    ) {
        statement = Statement(
            name, effect, sql(columns.sql),
            dependencies: dependencies.map {
                Dependencies($0, selecting: columns.expressions)
            }, respondsAtOnce: respondsAtOnce, unfiltered: reason)
        self.columns = columns
    }

    public var sql: String { statement.sql }

    @inlinable
    func read(_ rows: Rows) throws(PostgresError) -> [Output] {
        var outputs: [Output] = []
        outputs.reserveCapacity(rows.count)
        for row in rows {
            var reader = RowReader(row)
            outputs.append(try columns.read(&reader))
        }
        return outputs
    }

    @usableFromInline var noRow: PostgresError {
        PostgresError(.unexpectedResult, detail: "\(statement.name) gave no row")
    }

    /// The only row of a statement that always returns one.
    @inlinable
    public func row(_ rows: Rows) throws(PostgresError) -> Output {
        guard let row = rows.first else { throw noRow }
        var reader = RowReader(row)
        return try columns.read(&reader)
    }
}

/// A statement whose rows form groups. The rows of a group are adjacent, have the same first
/// column, and begin with the columns of the group's key.
public struct GroupedQuery<Key, Value>: Sendable {
    public let statement: Statement
    @usableFromInline let key: Columns<Key>
    @usableFromInline let value: Columns<Value>

    /// - Parameters:
    ///   - name: As for a `Statement`.
    ///   - key: Read once for each group.
    ///   - value: Read from each row, unless the first column of the value is NULL.
    ///   - dependencies: The result's dependencies. The first one decides which rows there are. `nil`
    ///     if the result is never cached.
    ///   - sql: Makes the SQL from the columns, separated by commas.
    public init(
        _ name: String, _ effect: Statement.Effect, by key: Columns<Key>,
        _ value: Columns<Value>, of dependencies: [Dependency]? = nil,
        _ sql: (_ columns: String) -> String
    ) {
        statement = Statement(
            name, effect, sql(key.sql + ", " + value.sql),
            dependencies: dependencies.map {
                Dependencies($0, selecting: key.expressions + value.expressions)
            })
        self.key = key
        self.value = value
    }

    public var sql: String { statement.sql }

    @inlinable
    func read(_ rows: Rows) throws(PostgresError) -> [(key: Key, values: [Value])] {
        var groups: [(key: Key, values: [Value])] = []
        var start = rows.startIndex
        while start < rows.endIndex {
            let first = rows[start]
            var end = start + 1
            while end < rows.endIndex, rows[end].hasSameFirstColumn(as: first) { end += 1 }
            var reader = RowReader(first)
            groups.append((try key.read(&reader), try values(rows, start..<end)))
            start = end
        }
        return groups
    }

    /// The values of a group's rows.
    @inlinable
    func values(_ rows: Rows, _ indices: Range<Int>) throws(PostgresError) -> [Value] {
        var values: [Value] = []
        for index in indices {
            var reader = RowReader(rows[index], from: key.expressions.count)
            guard !reader.isNull else { continue }
            if values.isEmpty { values.reserveCapacity(indices.count) }
            values.append(try value.read(&reader))
        }
        return values
    }
}

/// A type that runs one statement at a time on the loop: the pool, or a transaction.
public protocol StatementRunner {
    /// - Parameter write: A statement to execute first, in the same transaction and the same round
    ///   trip.
    /// - Returns: The rows of `statement`.
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter], after write: BoundStatement?
    ) async throws(PostgresError) -> Rows
}

extension PostgresPool: StatementRunner {}
extension Transaction: StatementRunner {}

extension StatementRunner {
    @inlinable
    public func query<Output>(
        _ query: Query<Output>, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> [Output] {
        try query.read(await self.query(query.statement, parameters, after: write))
    }

    @inlinable
    public func query<Key, Value>(
        _ query: GroupedQuery<Key, Value>, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> [(key: Key, values: [Value])] {
        try query.read(await self.query(query.statement, parameters, after: write))
    }

    /// The only row of a statement that always returns one.
    @inlinable
    public func row<Output>(
        _ query: Query<Output>, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) -> Output {
        try query.row(await self.query(query.statement, parameters, after: nil))
    }
}

extension BlockingSession {
    @inlinable
    public func query<Output>(
        _ query: Query<Output>, _ parameters: [PostgresParameter] = []
    ) throws(PostgresError) -> [Output] {
        try query.read(self.query(query.statement.sql, parameters))
    }

    /// The only row of a statement that always returns one.
    @inlinable
    public func row<Output>(
        _ query: Query<Output>, _ parameters: [PostgresParameter] = []
    ) throws(PostgresError) -> Output {
        try query.row(self.query(query.statement.sql, parameters))
    }
}
