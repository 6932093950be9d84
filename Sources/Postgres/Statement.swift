/// An SQL statement, which each connection prepares once, when it first needs it.
///
/// A class, since every query passes its statement on many times, and one reference is quicker to copy than
/// all parts.
public final class Statement: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
        /// Changes nothing. It may share a Sync with its neighbours, and may be sent again after a
        /// failure that it didn't cause.
        case read
        /// A read that can take long. It waits in one queue with other long reads, so that other
        /// reads don't wait for it.
        case longRead
        /// May change something. It is never sent again if it may have taken effect.
        case write
        /// A write that turns `synchronous_commit` off for its transaction, so that it doesn't hold
        /// its locks while the disk is written. It completes once PostgreSQL has flushed a later
        /// commit of the same connection, which also flushes this one; section 30.4 of the manual.
        /// Writes that are sent together share a flush.
        case asynchronousWrite

        public var isWrite: Bool {
            switch self {
            case .read, .longRead: false
            case .write, .asynchronousWrite: true
            }
        }
    }

    /// The name of the prepared statement. Unique in the program.
    public let name: String
    public let effect: Effect
    /// One statement, with its parameters written as `$1`, `$2`, ….
    public let sql: String
    /// `nil` if they were not declared; then nothing made from the result can be cached.
    let dependencies: Dependencies?
    /// Whether PostgreSQL is asked for its response before it executes what is sent behind it, because
    /// others wait for that.
    let respondsAtOnce: Bool
    /// Why the statement must not be `rewritten` to leave out rows that its reader doesn't see, as
    /// other reads are; `nil` if it may be.
    public let unfiltered: String?
    /// The name's. Each query looks its statement up in several sets and dictionaries.
    private let hash: Int

    public convenience init(_ name: String, _ effect: Effect, _ sql: String) {
        self.init(name, effect, sql, dependencies: nil)
    }

    init(
        _ name: String, _ effect: Effect, _ sql: String, dependencies: Dependencies?,
        respondsAtOnce: Bool = false, unfiltered: String? = nil
    ) {
        self.name = name
        self.effect = effect
        self.sql = sql
        self.dependencies = dependencies
        self.respondsAtOnce = respondsAtOnce
        self.unfiltered = unfiltered
        hash = name.hashValue
    }

    /// A statement with other SQL whose rows depend on the same columns and parameters as those of this one.
    ///
    /// - Parameter dependency: What they depend on besides; not a column.
    public func rewritten(
        as name: String, _ sql: String, alsoOf dependency: Dependency
    ) -> Statement {
        Statement(name, effect, sql, dependencies: dependencies?.adding(dependency))
    }

    /// Whether its rows, once read, can be reused until one of their dependencies changes.
    public var isRepeatable: Bool { dependencies != nil && !effect.isWrite }

    /// The names of the dependencies, without ids; `nil` if they were not declared.
    public var dependencyNames: [String]? { dependencies?.names }

    public static func == (a: Statement, b: Statement) -> Bool { a === b || a.name == b.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
