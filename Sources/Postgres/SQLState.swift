/// The SQLSTATE codes that the program depends on, and what follows from each code; appendix A of
/// PostgreSQL's manual.
public enum SQLState {
    public static let foreignKeyViolation = "23503"
    public static let uniqueViolation = "23505"
    public static let checkViolation = "23514"
    public static let readOnlyTransaction = "25006"
    public static let serializationFailure = "40001"
    public static let deadlockDetected = "40P01"
    public static let undefinedPreparedStatement = "26000"
    public static let duplicatePreparedStatement = "42P05"
    public static let diskFull = "53100"
    public static let tooManyConnections = "53300"
    public static let lockNotAvailable = "55P03"
    public static let queryCanceled = "57014"
    public static let adminShutdown = "57P01"
    public static let crashShutdown = "57P02"
    public static let cannotConnectNow = "57P03"

    /// What the program does about a statement that failed.
    enum Response {
        /// Another transaction was in the way. This one is run again from its beginning.
        case runAgain
        /// The connection may have prepared it for tables or functions that have changed since. It is
        /// prepared and sent again, once.
        case prepareAgain
        /// Nothing was changed, and the same request may succeed in a moment: 503 with Retry-After.
        case tryLater
        /// The same, but first the operator may have to make room.
        case makeRoom
        /// Whether it took effect is unknown: 503 without Retry-After.
        case findOut
        /// It is our fault, or the database is damaged: 500, unless the caller expects the error.
        case report
    }

    /// What becomes of the connection.
    enum Fate {
        case stays
        /// It is replaced once nothing uses it, but not more often than
        /// `PostgresConfiguration.replacementInterval` allows: a new session may not have the fault.
        case isReplaced
        /// It ends at once, like after every error whose severity is FATAL.
        case ends
    }

    struct Consequence: Equatable {
        let response: Response
        let fate: Fate
    }

    static func consequence(of code: String) -> Consequence {
        consequences[code] ?? consequences[String(code.prefix(2)) + "000"]
            ?? Consequence(response: .report, fate: .stays)
    }

    /// Later versions of PostgreSQL may add codes. Such a code has the consequence of its class,
    /// whose own code ends with 000. The classes without a line here report to the caller.
    static let consequences = Dictionary(
        uniqueKeysWithValues: table.flatMap { codes, response, fate in
            codes.split(separator: " ").map {
                (String($0), Consequence(response: response, fate: fate))
            }
        })

    private static let table: [(codes: String, Response, Fate)] = [
        // Class 08: the connection, or that of a foreign server.
        ("08000 08001 08003 08004 08006", .tryLater, .ends),
        ("08007", .findOut, .ends),
        // Also a statement with another number of parameters than the one that was prepared.
        ("08P01", .report, .isReplaced),
        // Class 25: the session is not in the transaction that we take it to be in.
        ("25000 25001 25002 25003 25004 25005 25007 25008 25P01", .report, .isReplaced),
        // `default_transaction_read_only` may have been off again since the session began, and
        // another server may be the primary.
        (readOnlyTransaction, .tryLater, .isReplaced),
        // An earlier statement of the transaction has failed, and says why.
        ("25P02", .report, .stays),
        ("25P03 25P04", .tryLater, .ends),
        // Class 40: the transaction was rolled back.
        ("40000 \(serializationFailure) \(deadlockDetected)", .runAgain, .stays),
        ("40002", .report, .stays),
        ("40003", .findOut, .stays),
        // Class 53: resources.
        ("53000 53100 53200 53400", .makeRoom, .stays),
        (tooManyConnections, .tryLater, .stays),
        // Class 55: objects that are not in the state that the statement needs.
        ("55000 55P02 55P04", .report, .stays),
        ("55006 \(lockNotAvailable)", .tryLater, .stays),
        // Class 57: an operator or a time limit has intervened.
        ("57000 \(queryCanceled)", .tryLater, .stays),
        ("\(adminShutdown) \(crashShutdown) \(cannotConnectNow) 57P04 57P05", .tryLater, .ends),
        // Class 58: errors of the system that PostgreSQL runs on.
        ("58000 58030", .tryLater, .stays),
        ("58P01 58P02 58P03", .report, .stays),
        // Class XX: PostgreSQL itself. The first can come from what a session remembers of an object
        // that is gone.
        ("XX000", .report, .isReplaced),
        ("XX001 XX002", .report, .stays),
        // What a prepared statement says if its result has another type by now, or if it is gone.
        ("0A000 \(undefinedPreparedStatement)", .prepareAgain, .stays),
        // No such schema, column, object, function or table; more than one; or of another type.
        ("3F000 42703 42704 42883 42P01 42702 42725 42804", .prepareAgain, .stays),
    ]
}
