import FaveGames
import Foundation
import HTTP

/// A circle that someone is in, in their list of circles.
package struct CircleCard: Sendable {
    let name: String
    let href: String
    /// What they are in it, how many are in it, and who sees it.
    let detail: String

    package init(_ own: OwnCircle) {
        name = own.circle.name
        href = Path.circle(own.circle.slug)
        detail = [
            own.role == .owner ? "You run this" : "Joined \(own.joinedAt.shortDay())",
            CircleCard.members(own.memberCount), own.circle.visibility.words,
        ].joined(separator: " · ")
    }

    /// A number of members, in words.
    package static func members(_ count: Int) -> String {
        "\(count.grouped) \(count == 1 ? "member" : "members")"
    }
}

extension CircleVisibility {
    /// The circle's audience, in a few words.
    package var words: String {
        switch self {
        case .public: "Public"
        case .members: "Members only"
        }
    }
}

/// The webhook of a circle, and how its last delivery went.
package struct WebhookCard: Sendable {
    let host: String
    let hasEnded: Bool
    /// What happened last, to be followed by the day.
    let state: String
    let at: Date?
    /// Follows the day.
    let detail: String
    /// The messages that were not delivered, to be followed by the day.
    let dropped: (words: String, at: Date)?

    package init(
        host: String, connectedAt: Date, deliveredAt: Date?, failure: (at: Date, reason: String)?,
        hasEnded: Bool, dropped: (count: Int, at: Date)?
    ) {
        self.dropped = dropped.map { count, at in
            let words =
                count == 1
                ? "1 message was left out" : "\(count) messages were left out, the last one"
            return (words, at)
        }
        self.host = host
        self.hasEnded = hasEnded
        if hasEnded {
            (state, at, detail) = ("Ended: that address takes no more messages.", nil, "")
        } else if let failure {
            (state, at, detail) = ("Last delivery failed", failure.at, ": \(failure.reason)")
        } else if let deliveredAt {
            (state, at, detail) = ("Last delivered", deliveredAt, "")
        } else {
            (state, at, detail) = ("Nothing sent yet. Connected", connectedAt, "")
        }
    }
}
