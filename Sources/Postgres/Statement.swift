/// A statement that each connection prepares once, when it first needs it, or plans each time.
public struct Statement: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
        /// Changes nothing: may share a Sync with neighbours, and be sent again after a failure
        /// that was not its own.
        case read
        /// May change something: is never sent twice.
        case write
    }

    public enum Planning: Hashable, Sendable {
        /// Soon for all values alike; section "PREPARE" of the manual.
        case once
        /// For the values at hand: for searches whose best way depends on how rare they are.
        case eachTime
    }

    /// The name under which it is prepared; unique in the program.
    public let name: String
    public let effect: Effect
    /// One statement, its parameters written `$1`, `$2`, ….
    public let sql: String
    public let planning: Planning

    public init(
        _ name: String, _ effect: Effect, _ sql: String, planning: Planning = .once
    ) {
        self.name = name
        self.effect = effect
        self.sql = sql
        self.planning = planning
    }

    public static func == (a: Statement, b: Statement) -> Bool { a.name == b.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
