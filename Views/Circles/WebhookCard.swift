import Foundation

/// The webhook of a circle, and how its last delivery went.
package struct WebhookCard: Sendable {
    let host: String
    let hasEnded: Bool
    /// What happened last, to be followed by the day.
    let state: String
    let at: Date?
    /// Follows the day.
    let detail: String
    /// What was not delivered, to be followed by the day.
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
