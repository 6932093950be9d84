import Foundation

/// A circle's webhook, as the circle's owner sees it.
public struct CircleWebhook: Sendable {
    public let address: String
    public let createdAt: Date
    /// When something was last delivered; `nil` if nothing was.
    public let deliveredAt: Date?
    /// The last attempt, if it failed.
    public let failure: (at: Date, reason: String)?
    /// Whether the receiver wants nothing more, so that nothing is sent.
    public let hasEnded: Bool
    /// How many messages were dropped, and when the last one was; `nil` if none was.
    public let dropped: (count: Int, at: Date)?

    public init(
        address: String, createdAt: Date, deliveredAt: Date?, failure: (at: Date, reason: String)?,
        hasEnded: Bool, dropped: (count: Int, at: Date)?
    ) {
        self.address = address
        self.createdAt = createdAt
        self.deliveredAt = deliveredAt
        self.failure = failure
        self.hasEnded = hasEnded
        self.dropped = dropped
    }
}
