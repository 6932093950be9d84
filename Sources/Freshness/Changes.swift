import Postgres

/// Statements on the table of changes that the feed and the upkeep share.
package enum Changes {
    /// Deletes some of the changes that checks no longer need, and some of the changes that were
    /// restored from another cluster. Returns their number.
    package static let delete = Query(
        "delete_changes", .write, column("delete_changes(20000)", Int.self)
    )
}
