import Foundation

/// What IGDB lets us in with, minted by Twitch for the client's credentials. Never to be logged.
public struct IGDBToken: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public let text: String
    /// When it is to be renewed, which is a while before it ends.
    public let expiresAt: Date

    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }

    /// - Parameter lifetime: In seconds. Of a short one most is used, so that a token is not minted
    ///   for each request.
    init(text: String, lifetime: Int, from now: Date) {
        let seconds = Double(lifetime)
        self.init(text: text, expiresAt: now.addingTimeInterval(seconds - min(3600, seconds / 10)))
    }

    /// Whether it is good for a moment yet.
    func isGood(at now: Date) -> Bool { expiresAt > now.addingTimeInterval(30) }

    /// Without the token itself.
    public var description: String { "a token until \(expiresAt)" }
    public var debugDescription: String { description }
}

/// Where the token is kept, for all processes and for after a restart: an application may have only
/// 25 live ones, and another ends the oldest.
public protocol IGDBTokenStore: Sendable {
    /// The token that is kept, good or not.
    func load() async throws -> IGDBToken?

    /// Keeps a token in place of the one that was known, unless another process has replaced that
    /// meanwhile.
    ///
    /// - Returns: The token that is kept then: theirs, if they were first.
    func save(_ token: IGDBToken, replacing old: IGDBToken?) async throws -> IGDBToken
}
