/// A statement with its parameters.
public struct BoundStatement: Sendable {
    let statement: Statement
    let parameters: [PostgresParameter]

    public init(_ statement: Statement, _ parameters: [PostgresParameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}
