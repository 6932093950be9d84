import Foundation

/// Somebody who has a list.
public struct User: Hashable, Sendable {
    public let id: UUID
    public let username: String
    public let displayName: String
    public let createdAt: Date
    /// When the list last changed; `nil` while it never did.
    public let listUpdatedAt: Date?

    public init(
        id: UUID, username: String, displayName: String, createdAt: Date, listUpdatedAt: Date?
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.createdAt = createdAt
        self.listUpdatedAt = listUpdatedAt
    }

}
