import Foundation

/// On whose behalf IGDB is asked. Requesters take turns, so that none can use up what IGDB serves.
public struct IGDBRequester: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case site
        case unknown
        case user(UUID)
        case address(String)
    }

    private let identity: Identity

    /// The site itself, which keeps its games up to date.
    public static let site = IGDBRequester(identity: .site)

    /// Everyone who can't be told apart. They have one turn together, but no bounded share.
    public static let unknown = IGDBRequester(identity: .unknown)

    /// Someone who is signed in.
    public static func user(_ id: UUID) -> IGDBRequester { IGDBRequester(identity: .user(id)) }

    /// Someone who is not signed in.
    ///
    /// - Parameter network: The network that they have for themselves.
    public static func address(_ network: String) -> IGDBRequester {
        IGDBRequester(identity: .address(network))
    }

    public var isSignedIn: Bool { if case .user = identity { true } else { false } }
}
