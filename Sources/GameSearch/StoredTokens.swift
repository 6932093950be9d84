import IGDB
@_spi(Writing) import Storage

/// Keeps the IGDB token of one application in the database.
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
            try await store.keepIGDBToken(
                KeptToken(token), clientID: clientID, replacing: old.map(KeptToken.init)))
    }
}

extension IGDBToken {
    fileprivate init(_ kept: KeptToken) {
        self.init(text: kept.text, expiresAt: kept.expiresAt)
    }
}

extension KeptToken {
    fileprivate init(_ token: IGDBToken) {
        self.init(text: token.text, expiresAt: token.expiresAt)
    }
}
