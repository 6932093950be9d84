import Crypto
import Encodings
import Foundation

/// A part of a migration that is done as a whole. An interrupted migration continues with the first
/// step that is not done.
public struct MigrationStep: Sendable {
    public enum Kind: String, Sendable {
        /// Any statements, in a transaction of their own.
        case transaction = ""
        /// One statement that PostgreSQL refuses in a transaction, such as CREATE INDEX
        /// CONCURRENTLY. It must be harmless to repeat: a crash can leave it done but not recorded.
        case outsideTransaction = "outside a transaction"
        /// One statement that changes a bounded number of rows. It is repeated, each time in a
        /// transaction of its own, until it changes none.
        case batches = "in batches"
    }

    /// What the step does; empty if the migration has only one.
    public let name: String
    public let kind: Kind
    let sql: String

    /// Shows whether a step has changed since it was done.
    var checksum: String { Hexadecimal.encode(SHA256.hash(data: Data(sql.utf8))) }
}
