import FaveGames
import Foundation

/// A member of a circle, as others see them.
package struct CircleMemberRow: Sendable {
    let name: String
    /// The member's list; `nil` if it isn't public.
    let href: String?
    /// Shown instead of a picture.
    let placeholder: Placeholder
    /// Whether they own the circle, that their list isn't shown, and when they joined.
    let detail: String
    /// Removes the member, or makes them the owner; `nil` for the owner.
    let remove: String?
    let handOver: String?

    /// - Parameter circle: The path of the circle's page.
    package init(_ member: CircleMember, of circle: String) {
        name = member.displayName
        href = member.username.map(Path.list)
        let id = member.id.uuidString.lowercased()
        // Nothing of the username shows, unless the list is public.
        placeholder = Placeholder(
            username: member.username ?? id, displayName: member.displayName)
        var details: [String] = []
        if member.isOwner { details.append("owner") }
        if member.username == nil { details.append("list not shown") }
        if let joinedAt = member.joinedAt { details.append("joined \(joinedAt.dayInWords)") }
        detail = details.joined(separator: " · ")
        remove = member.isOwner ? nil : "\(circle)/members/\(id)/remove"
        handOver = member.isOwner ? nil : "\(circle)/members/\(id)/owner"
    }
}
