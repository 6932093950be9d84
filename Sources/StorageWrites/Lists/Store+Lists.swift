public import FaveGames
public import Foundation
import Postgres
public import Storage

extension Store {
    // MARK: Changes

    /// Changes a user's list, completely or not at all. Concurrent changes to one list are made one
    /// after the other.
    ///
    /// - Parameter change: Receives the current list and returns the new one. It may be called
    ///   again with a newer list.
    /// - Returns: The list afterwards; `nil` if there is no such user.
    /// - Throws: Any error that `change` throws, and `ListError` for a game or platform that can't
    ///   be on a list, with nothing changed.
    public func changeList(
        userID: UUID, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList? {
        guard let list = try await list(userID: userID) else { return nil }
        return try await changeList(list, change)
    }

    /// Changes a list as above, beginning with a list that was just read. If it hasn't changed
    /// since then, this takes one round trip.
    public func changeList(
        _ list: FaveList, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList? {
        do {
            return try await save(
                change(list), replacing: .read(list),
                with: database.commitsEachWrite ? Lists.saveAsynchronously : Lists.save,
                by: database)
        } catch let error as PostgresError where error.isRetryableConflict {
            return try await database.withTransaction { transaction in
                guard let list = try await lockedList(of: list.owner.id, by: transaction)
                else { return nil }
                return try await save(change(list), replacing: .locked(list), by: transaction)
            }
        }
    }

    /// A list that is to be replaced.
    private enum ListBase {
        /// It may have changed since it was read.
        case read(FaveList)
        /// It can't change until the transaction ends.
        case locked(FaveList)

        var list: FaveList {
            switch self {
            case .read(let list), .locked(let list): list
            }
        }

        /// The version that the list must still have.
        var version: Int? {
            switch self {
            case .read(let list): list.version
            case .locked: nil
            }
        }
    }

    private func lockedList(
        of userID: UUID, by transaction: Transaction
    ) async throws(PostgresError) -> FaveList? {
        let lock = BoundStatement(Lists.lock, [.uuids([userID])])
        return try await transaction.query(Lists.byUserID, [.uuid(userID)], after: lock)
            .map(FaveList.init).first
    }

    /// Saves a whole list, in one round trip.
    ///
    /// - Returns: The list afterwards.
    /// - Throws: `PostgresError` with `isRetryableConflict` if the list has changed since it was
    ///   read; `ListError`.
    private func save(
        _ draft: ListDraft, replacing base: ListBase, with statement: Statement = Lists.save,
        by runner: some StatementRunner
    ) async throws -> FaveList {
        var statement = statement
        if draft == ListDraft(base.list) {
            guard case .read = base else { return base.list }
            // The version that was read may not be on disk yet. This locks the list, so the version
            // is flushed.
            statement = Lists.save
        }
        let owner = PostgresParameter.uuid(base.list.owner.id)
        let save = BoundStatement(
            statement,
            [owner, .int(base.version), .rows(draft.entries.map(Lists.wantedEntry))])
        do {
            let found = try await runner.query(Lists.byUserID, [owner], after: save)
            guard let saved = found.first else { throw ListError.changedMeanwhile }
            return FaveList(saved)
        } catch let error as PostgresError {
            throw ListError(error, of: draft) ?? error
        }
    }
}

extension Database {
    /// Runs a transaction that changes lists or their owners, and may lock both. It locks the lists
    /// first, as writers of a list do: the opposite order could deadlock with them.
    func withTransaction<Result>(
        lockingListsOf owners: [UUID], _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        try await withTransaction { transaction in
            if !owners.isEmpty { try await transaction.query(Lists.lock, [.uuids(owners)]) }
            return try await body(transaction)
        }
    }
}

extension Lists {
    fileprivate static let lock = Statement(
        "lock_lists", .write,
        """
        SELECT FROM lists WHERE user_id = ANY ($1::uuid[]) ORDER BY user_id FOR NO KEY UPDATE
        """)

    /// The fields of `wanted_entry`.
    static func wantedEntry(_ entry: DraftEntry) -> [PostgresParameter] {
        [
            .uuid(entry.id), .int(entry.platformID), .int(entry.gameID),
            .text(entry.comment.text), .int(entry.rating?.value), .texts(entry.tags.texts),
        ]
    }

    private static let saveList = "SELECT save_list($1, $2, $3::wanted_entry[])"

    static let save = Statement("save_list", .write, saveList)

    /// Outside a transaction. Other writers wait for the counts of popular games, so the counts
    /// aren't locked while the disk is written.
    static let saveAsynchronously = Statement(
        "save_list_asynchronously", .asynchronousWrite,
        "\(saveList) FROM set_config('synchronous_commit', 'off', true)")
}
