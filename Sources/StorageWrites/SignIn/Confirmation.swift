import FaveGames
import Foundation
import Postgres
import Storage

extension Store {
    /// Changes a way into an account if the confirmation is still valid, and notifies the account's
    /// address.
    ///
    /// The user is locked first. Every change that ends a confirmation for good, such as a new
    /// password, also locks the user. If that change comes first, nothing is written here; if it
    /// comes later, it removes what was written here.
    ///
    /// - Parameters:
    ///   - list: Whether to lock the list as well.
    ///   - kind: The mail that reports the change; `nil` if `change` queues it.
    ///   - change: Returns `nil` if it has changed nothing.
    /// - Throws: `ConfirmationLapsedError`, with nothing changed, and what `change` throws.
    func confirmed<Result>(
        by confirmation: Confirmation, lockingList list: Bool = false,
        telling kind: QueuedMail.Kind?, _ change: (Transaction) async throws -> Result?
    ) async throws -> Result? {
        let user = PostgresParameter.uuid(confirmation.userID)
        return try await database.withTransaction(
            lockingListsOf: list ? [confirmation.userID] : []
        ) { transaction in
            let holds = try await transaction.query(
                Confirmations.holds, confirmation.parameters,
                after: BoundStatement(Users.lock, [user]))
            guard holds == [true] else { throw ConfirmationLapsedError() }
            guard let result = try await change(transaction) else { return nil }
            if let kind { try await tell(kind, confirmation.userID, in: transaction) }
            return result
        }
    }

    /// Queues a mail to the address of a user, if any, about a change of a way in.
    func tell(
        _ kind: QueuedMail.Kind, _ userID: UUID, in transaction: Transaction
    ) async throws(PostgresError) {
        try await transaction.query(MailQueries.tell, [.uuid(userID), .text(kind.rawValue)])
    }
}
