public import Foundation

/// The party that IGDB is asked for. Requesters take turns, so none of them can use up IGDB's
/// limits.
public struct IGDBRequester: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case site
        case unknown
        case user(UUID)
        case address(String)
    }

    private let identity: Identity

    /// The site itself, when it updates its games.
    public static let site = IGDBRequester(identity: .site)

    /// All requesters that can't be identified. They share one turn, but their share is not
    /// bounded.
    public static let unknown = IGDBRequester(identity: .unknown)

    /// Someone who is signed in.
    public static func user(_ id: UUID) -> IGDBRequester { IGDBRequester(identity: .user(id)) }

    /// Someone who is not signed in.
    ///
    /// - Parameter network: The network that belongs to them alone.
    public static func address(_ network: String) -> IGDBRequester {
        IGDBRequester(identity: .address(network))
    }

    public var isSignedIn: Bool { if case .user = identity { true } else { false } }
}
