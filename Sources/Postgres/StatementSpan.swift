import Tracing

/// The span of a statement that runs for a traced request.
enum StatementSpan {
    static func around(
        _ statement: Statement, _ body: () async throws(PostgresError) -> Rows
    ) async throws(PostgresError) -> Rows {
        // Only traced requests have a context.
        guard InstrumentationContext.current != nil else { return try await body() }
        let span = startSpan(
            statement.name, at: DefaultTracerClock.now, ofKind: .client)
        span.attributes["db.system.name"] = "postgresql"
        span.attributes["db.operation.name"] = statement.name
        defer { span.end() }
        do throws(PostgresError) {
            return try await body()
        } catch {
            span.recordError(error)
            throw error
        }
    }
}
