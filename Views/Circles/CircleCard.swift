import FaveGames
import Foundation
import HTTP
import Languages

/// A circle that someone is in, in their list of circles.
package struct CircleCard: Sendable {
    let name: String
    let href: String
    /// What they are in it, how many are in it, and who sees it.
    let detail: Words

    package init(_ own: OwnCircle) {
        name = own.circle.name
        href = Path.circle(own.circle.slug)
        detail = .facts([
            own.role == .owner ? .youRunThis : .joined(own.joinedAt), .members(own.memberCount),
            own.circle.visibility.words,
        ])
    }
}

extension CircleVisibility {
    /// The circle's audience, in a few words.
    package var words: Words {
        switch self {
        case .public: .publicCircle
        case .members: .membersOnly
        }
    }
}

/// The webhook of a circle, and how its last delivery went.
package struct WebhookCard: Sendable {
    let host: String
    /// How its last delivery went.
    enum State {
        case ended
        case failed(at: Date, reason: String)
        case delivered(at: Date)
        /// Nothing has been sent yet.
        case connected(at: Date)
    }

    let state: State
    /// The messages that were not delivered, and when the last one wasn't.
    let dropped: (count: Int, at: Date)?

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    package init(
        host: String, connectedAt: Date, deliveredAt: Date?, failure: (at: Date, reason: String)?,
        hasEnded: Bool, dropped: (count: Int, at: Date)?
    ) {
        self.dropped = dropped
        self.host = host
        state =
            if hasEnded {
                .ended
            } else if let failure {
                .failed(at: failure.at, reason: failure.reason)
            } else if let deliveredAt {
                .delivered(at: deliveredAt)
            } else {
                .connected(at: connectedAt)
            }
    }
}
