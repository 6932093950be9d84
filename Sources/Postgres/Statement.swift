/// A statement that each connection prepares once, when it first needs it.
public struct Statement: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
        /// Changes nothing: may share a Sync with neighbours, and be sent again after a failure
        /// that was not its own.
        case read
        /// A read that can take long: it waits with its like, and other reads don't wait for it.
        case longRead
        /// May change something: is never sent twice.
        case write
    }

    /// The name under which it is prepared; unique in the program.
    public let name: String
    public let effect: Effect
    /// One statement, its parameters written `$1`, `$2`, ….
    public let sql: String

    public init(_ name: String, _ effect: Effect, _ sql: String) {
        self.name = name
        self.effect = effect
        self.sql = sql
    }

    public static func == (a: Statement, b: Statement) -> Bool { a.name == b.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
