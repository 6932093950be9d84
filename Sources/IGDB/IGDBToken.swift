import Foundation

/// What IGDB lets us in with, minted by Twitch for the client's credentials. Never to be logged.
public struct IGDBToken: Hashable, Sendable {
    public let text: String
    public let expiresAt: Date

    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }

    /// Whether it is good for a while yet.
    func isGood(at now: Date) -> Bool { expiresAt > now.addingTimeInterval(3600) }
}

/// Where the token is kept, for all processes and for after a restart: an application may have only
/// 25 live ones, and another ends the oldest.
public protocol IGDBTokenStore: Sendable {
    /// The token that is kept, good or not.
    func load() async throws -> IGDBToken?

    /// Keeps a token in place of the one that was known, unless somebody else has replaced that
    /// meanwhile.
    ///
    /// - Returns: The token that is kept then: theirs, if they were first.
    func save(_ token: IGDBToken, replacing old: IGDBToken?) async throws -> IGDBToken
}
