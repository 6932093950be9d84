import FaveGames
import Identity
public import Storage
import StorageWrites

/// Lists that people begin before they sign up, each under a secret of the browser. Methods throw
/// `PostgresError`.
public struct GuestDraftActions: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Stores a draft, which replaces the browser's previous one.
    ///
    /// - Parameters:
    ///   - form: At most `Store.draftLimit` bytes.
    ///   - key: The digest of the browser's secret.
    public func keep(_ form: String, under key: [UInt8]) async throws {
        try await store.storeDraft(form, tokenHash: key)
    }

    public func delete(under key: [UInt8]) async throws {
        try await store.deleteDraft(tokenHash: key)
    }
}
