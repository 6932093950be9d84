import Encodings
import FaveGames
import Foundation
import HTTP
import Languages

/// A member of a circle, as others see them.
package struct CircleMemberRow: Sendable {
    let name: String
    /// The member's list; `nil` if it isn't public.
    let href: String?
    /// Shown instead of a picture.
    let placeholder: Placeholder
    /// Whether they own the circle, and when they joined.
    let detail: Words?
    /// The games on their list, in its order.
    let games: [Game]
    /// Set for the viewer.
    let own: OwnShelf?
    /// Removes the member, or makes them the owner; `nil` for the owner.
    let remove: String?
    let handOver: String?

    /// The names of the games after the first; `nil` if there are none.
    var others: Words? {
        games.count > 1 ? Array(games.dropFirst()).names : nil
    }

    /// - Parameters:
    ///   - circle: The path of the circle's page.
    ///   - games: Those of the member's public list.
    ///   - own: Set for the viewer.
    package init(
        _ member: CircleMember, of circle: String, games: [Game] = [], own: OwnShelf? = nil
    ) {
        name = member.displayName
        href = member.username.map(Path.list)
        let id = member.id.text
        // Nothing of the username shows, unless the list is public.
        placeholder = Placeholder(
            username: member.username ?? id, displayName: member.displayName)
        var details: [Words] = []
        if member.isViewer { details.append(.you) }
        if member.isOwner { details.append(.owner) }
        if let joinedAt = member.joinedAt { details.append(.joined(joinedAt)) }
        detail = details.isEmpty ? nil : .facts(details)
        self.games = own?.games ?? games
        self.own = own
        remove = member.isOwner ? nil : "\(circle)/members/\(id)/remove"
        handOver = member.isOwner ? nil : "\(circle)/members/\(id)/owner"
    }
}

/// What members see of their own list among those of a circle, whether or not the others see it.
package struct OwnShelf: Sendable {
    package let games: [Game]
    let isPublic: Bool
    /// When others will see the list of a new account.
    let shownFrom: Date?

    package init(_ list: FaveList) {
        games = list.entries.map(\.game)
        isPublic = list.owner.isPublic
        shownFrom = list.owner.visibility == .public ? list.owner.newUntil : nil
    }
}
