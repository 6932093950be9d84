public import IGDB
public import Storage
import StorageWrites

/// Stores the IGDB token of one application in the database.
public struct StoredTokens: IGDBTokenStore {
    private let store: Store
    private let clientID: String

    /// - Parameter store: Belongs to the IGDB client's loop.
    public init(_ store: Store, clientID: String) {
        self.store = store
        self.clientID = clientID
    }

    public func load() async throws -> IGDBToken? {
        try await store.igdbToken(clientID: clientID).map(IGDBToken.init)
    }

    public func save(_ token: IGDBToken, replacing old: IGDBToken?) async throws -> IGDBToken {
        IGDBToken(
            try await store.storeIGDBToken(
                StoredToken(token), clientID: clientID, replacing: old.map(StoredToken.init)))
    }
}

extension IGDBToken {
    fileprivate init(_ stored: StoredToken) {
        self.init(text: stored.text, expiresAt: stored.expiresAt)
    }
}

extension StoredToken {
    fileprivate init(_ token: IGDBToken) {
        self.init(text: token.text, expiresAt: token.expiresAt)
    }
}
