import FaveGames
import Foundation

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
