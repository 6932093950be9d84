import FaveGames
public import Postgres

// Lists that people begin before they sign up.
extension Store {
    /// The most bytes of a draft's form.
    public static let draftLimit = 131_072

    /// The draft of a browser; `nil` if there is none, or it is older than a day.
    public func draft(tokenHash: [UInt8]) async throws(PostgresError) -> String? {
        try await database.query(Drafts.find, [.bytes(tokenHash)]).first
    }
}

package enum Drafts {
    static let find = Query("draft", .read, column("form", String.self)) {
        """
        SELECT \($0) FROM drafts
        WHERE token_hash = $1 AND made_at > now() - interval '\(Retention.draftDays) day'
        """
    }
}
