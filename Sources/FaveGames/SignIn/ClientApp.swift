public import Foundation

/// Someone's program that people can let use their account: a client of OAuth (RFC 6749). It has no
/// secret.
public struct ClientApp: Hashable, Sendable {
    /// The most apps that a person can register.
    public static let limit = 10
    /// The most addresses that an app can send people back to.
    public static let redirectLimit = 5

    /// The client identifier.
    public let id: UUID
    public let name: String
    /// Where people can read about it.
    public let address: String
    /// Where people may be sent back to.
    public let redirects: [String]
    /// The username of the person who registered it; `nil` for an operator.
    public let owner: String?
    public let createdAt: Date

    public init(
        id: UUID, name: String, address: String, redirects: [String], owner: String?,
        createdAt: Date
    ) {
        self.id = id
        self.name = name
        self.address = address
        self.redirects = redirects
        self.owner = owner
        self.createdAt = createdAt
    }
}

/// What someone lets an app do.
public struct AppGrant: Hashable, Sendable {
    /// The app's name.
    public let name: String
    public let scopes: Set<TokenScope>

    public init(name: String, scopes: Set<TokenScope>) {
        self.name = name
        self.scopes = scopes
    }
}
