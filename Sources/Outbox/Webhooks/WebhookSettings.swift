public import Foundation
public import Storage

/// Where webhooks are sent.
public struct WebhookSettings: Sendable {
    /// The webhook for moderators; `nil` if there is none.
    public let moderators: (address: WebhookAddress, secret: WebhookSecret)?
    /// Where those of circles may lead.
    public let networks: WebhookNetworks

    public init(
        moderators: (address: WebhookAddress, secret: WebhookSecret)?, networks: WebhookNetworks
    ) {
        self.moderators = moderators
        self.networks = networks
    }
}

/// The news in a queued message.
public enum WebhookNews: Sendable {
    /// Tells moderators of a new case.
    case report(CaseNotice)
    /// Tells of something in a circle.
    ///
    /// - Parameter games: Those of the member's list, if it has changed.
    case change(QueuedWebhook.Kind, CircleNotice, _ games: [ToldGame])
}

/// Writes the body of a message; `nil` if there is nothing to say.
///
/// - Parameter date: When it happened.
public typealias WebhookWriter = @Sendable (_ news: WebhookNews, _ date: Date) -> [UInt8]?
