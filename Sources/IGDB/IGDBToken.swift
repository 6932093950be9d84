public import Foundation

/// The access token for IGDB, which Twitch mints for the client's credentials. It must never be
/// logged.
public struct IGDBToken: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public let text: String
    /// When the token must be renewed, which is a while before it becomes invalid.
    public let expiresAt: Date

    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }

    /// - Parameter lifetime: In seconds. Most of even a short lifetime is used, so that not every
    ///   request mints a token.
    init(text: String, lifetime: Int, from now: Date) {
        let seconds = Double(lifetime)
        self.init(text: text, expiresAt: now.addingTimeInterval(seconds - min(3600, seconds / 10)))
    }

    /// Whether the token will stay good for another 30 seconds.
    func isGood(at now: Date) -> Bool { expiresAt > now.addingTimeInterval(30) }

    /// Leaves out the token itself.
    public var description: String { "a token until \(expiresAt)" }
    public var debugDescription: String { description }
}

/// Stores the token for all processes and across restarts. An application may have only 25 live
/// tokens; minting another one ends the oldest.
public protocol IGDBTokenStore: Sendable {
    /// The stored token, good or not.
    func load() async throws -> IGDBToken?

    /// Stores a token in place of `old`, unless another process has replaced `old` in the meantime.
    ///
    /// - Returns: The token that is stored afterwards: the other process's token, if that came
    ///   first.
    func save(_ token: IGDBToken, replacing old: IGDBToken?) async throws -> IGDBToken
}
