import Postgres
import Testing

/// What PostgreSQL said: a description that anyone may read tells too little of a failure.
extension PostgresError: CustomTestStringConvertible {
    public var testDescription: String { debugDescription }
}
