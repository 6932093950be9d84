import Foundation
import Testing

@testable import Postgres

@Suite("What follows from an SQLSTATE")
struct SQLStateTests {
    /// Every code of these classes in appendix A of the manuals of PostgreSQL 14 to 18.
    private static let codes = """
        08000 08003 08006 08001 08004 08007 08P01
        25000 25001 25002 25008 25003 25004 25005 25006 25007 25P01 25P02 25P03 25P04
        40000 40002 40001 40003 40P01 53000 53100 53200 53300 53400 55000 55006 55P02 55P03 55P04
        57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 58P02 58P03 XX000 XX001 XX002
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let classes = ["08", "25", "40", "53", "55", "57", "58", "XX"]

    @Test("is written down for every code of the classes that aren't about the statement itself")
    func isComplete() throws {
        let listed = SQLState.consequences.keys.filter {
            Self.classes.contains(String($0.prefix(2)))
        }
        #expect(Set(listed) == Set(Self.codes))
        // Also those of the version that the tests run on, if its list is installed.
        let text = Self.installedList ?? ""
        for line in text.split(separator: "\n")
        where line.first?.isHexDigit == true || line.first == "X" {
            let code = String(line.prefix(5))
            guard Self.classes.contains(String(code.prefix(2))) else { continue }
            #expect(SQLState.consequences[code] != nil, "\(line)")
        }
    }

    private static var installedList: String? {
        let folders = try? FileManager.default.contentsOfDirectory(atPath: "/usr/share/postgresql")
        return folders?.sorted().last.flatMap {
            try? String(contentsOfFile: "/usr/share/postgresql/\($0)/errcodes.txt", encoding: .utf8)
        }
    }

    private static func codes(
        where condition: (SQLState.Consequence) -> Bool
    ) -> Set<String> {
        Set(Self.codes.filter { condition(SQLState.consequence(of: $0)) })
    }

    @Test("is that it is run again, tried later, or looked into")
    func responses() {
        #expect(Self.codes { $0.response == .runAgain } == ["40000", "40001", "40P01"])
        #expect(Self.codes { $0.response == .findOut } == ["08007", "40003"])
        #expect(Self.codes { $0.response == .makeRoom } == ["53000", "53100", "53200", "53400"])
        #expect(
            Self.codes { $0.response == .tryLater } == [
                "08000", "08001", "08003", "08004", "08006", "25006", "25P03", "25P04", "53300",
                "55006", "55P03", "57000", "57014", "57P01", "57P02", "57P03", "57P04", "57P05",
                "58000", "58030",
            ])
        for code in Self.codes {
            let consequence = SQLState.consequence(of: code)
            let error = PostgresError(.server, sqlState: code)
            #expect(
                error.isTransient == ![.report, .findOut].contains(consequence.response)
                    || consequence.fate == .ends, "\(code)")
            #expect(error.isRetryableConflict == (consequence.response == .runAgain), "\(code)")
        }
    }

    @Test("is that the connection ends, or is replaced")
    func fates() {
        #expect(
            Self.codes { $0.fate == .ends } == [
                "08000", "08001", "08003", "08004", "08006", "08007", "25P03", "25P04", "57P01",
                "57P02", "57P03", "57P04", "57P05",
            ])
        #expect(
            Self.codes { $0.fate == .isReplaced } == [
                "08P01", "25000", "25001", "25002", "25003", "25004", "25005", "25006", "25007",
                "25008", "25P01", "XX000",
            ])
    }

    @Test("is that of its class, for a code of a later version")
    func laterCodes() {
        #expect(SQLState.consequence(of: "53900") == SQLState.consequence(of: "53000"))
        #expect(SQLState.consequence(of: "57P99").response == .tryLater)
        #expect(SQLState.consequence(of: "23505").response == .report)
        #expect(SQLState.consequence(of: "0A000").response == .prepareAgain)
        #expect(SQLState.consequence(of: "P0001").response == .report)
        #expect(PostgresError(.server, sqlState: "42P01").isTransient == false)
        #expect(PostgresError(.server, sqlState: "42P01").outdated.isTransient)
    }

    @Test(
        "is read from the refusal of a connection",
        arguments: [
            (
                """
                connection to server on socket "/x/.s.PGSQL.5432" failed: FATAL:  53300: too many \
                connections for role "fave"
                LOCATION:  InitializeSessionUserId, miscinit.c:860

                """, "53300",
                """
                connection to server on socket "/x/.s.PGSQL.5432" failed: FATAL: too many connections \
                for role "fave"
                """
            ),
            (
                """
                connection to server at "a", port 1 failed: FATAL:  53300: too many clients
                connection to server at "b", port 1 failed: FATAL:  28P01: wrong: password

                """, "28P01",
                """
                connection to server at "a", port 1 failed: FATAL: too many clients \
                connection to server at "b", port 1 failed: FATAL: wrong: password
                """
            ),
            (
                "connection to server at \"a\", port 1 failed: Connection refused\n\tIs it running?\n",
                nil,
                "connection to server at \"a\", port 1 failed: Connection refused \tIs it running?"
            ),
        ] as [(String, String?, String)])
    func refusals(message: String, state: String?, detail: String) {
        let error = PostgresError(refusal: message)
        #expect(error.code == .unavailable && error.sqlState == state)
        #expect(
            error.debugDescription == "unavailable\(state.map { " \($0)" } ?? ""): \(detail)")
    }
}
