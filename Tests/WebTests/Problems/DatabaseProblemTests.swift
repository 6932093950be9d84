import HTTPTypes
import Logging
import Postgres
import Testing

@testable import Endpoints
@testable import Web

@Suite("An error of PostgreSQL")
struct DatabaseProblemTests {
    @Test(
        "is a 503 that says when to try again, or a 500",
        arguments: [
            ("55P03", 503), ("40001", 503), ("57014", 503), ("53100", 503), ("25006", 503),
            ("58030", 503), ("55006", 503), ("25P04", 503), ("08006", 503),
            ("XX001", 500), ("42P01", 500), ("22012", 500), ("23505", 500), ("25P02", 500),
            ("58P01", 500), ("08P01", 500),
        ])
    func statements(sqlState: String, status: Int) {
        let problem = Problem(PostgresError(.server, sqlState: sqlState), logger: .silent)
        #expect(problem.status.code == status)
        #expect((problem.headerFields[.retryAfter] != nil) == (status == 503))
    }

    @Test("doesn't say when to repeat a change that may have been made")
    func unknownOutcome() {
        let problem = Problem(PostgresError(.outcomeUnknown), logger: .silent)
        #expect(problem.status.code == 503)
        #expect(problem.headerFields[.retryAfter] == nil)
    }
}

extension Logger {
    fileprivate static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
