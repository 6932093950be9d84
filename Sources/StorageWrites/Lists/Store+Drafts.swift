public import Postgres
public import Storage

// Lists that people begin before they sign up.
extension Store {
    /// Stores a draft that replaces the browser's earlier one. Of all drafts, the latest 10,000 are
    /// retained.
    ///
    /// - Parameters:
    ///   - form: At most `draftLimit` bytes.
    ///   - tokenHash: The digest of the browser's secret, 32 bytes.
    public func storeDraft(_ form: String, tokenHash: [UInt8]) async throws(PostgresError) {
        try await database.query(Drafts.keep, [.bytes(tokenHash), .text(form)])
    }

    /// Deletes the draft of a browser, which has been saved.
    public func deleteDraft(tokenHash: [UInt8]) async throws(PostgresError) {
        try await database.query(Drafts.delete, [.bytes(tokenHash)])
    }
}

extension Drafts {
    static let keep = Statement(
        "keep_draft", .write,
        """
        WITH pushed_out AS (
            DELETE FROM drafts WHERE token_hash IN (
                SELECT token_hash FROM drafts ORDER BY made_at DESC OFFSET 9999 LIMIT 100
                FOR UPDATE SKIP LOCKED)
        )
        INSERT INTO drafts (token_hash, form) VALUES ($1, $2)
        ON CONFLICT (token_hash) DO UPDATE
        SET form = excluded.form, made_at = excluded.made_at
        """)

    static let delete = Statement(
        "delete_draft", .write, "DELETE FROM drafts WHERE token_hash = $1")
}
