import FaveGames
import Foundation
import Languages

/// Someone in a list of people who are followed, who follow, or who are blocked.
package struct FollowRow: Sendable {
    let person: Person
    let since: Date
    /// Where the button of the row sends its form.
    let action: String
    /// Whether the person can also be blocked there.
    let canBlock: Bool

    package init(_ person: Person, since: Date, action: String, canBlock: Bool = false) {
        self.person = person
        self.since = since
        self.action = action
        self.canBlock = canBlock
    }

    package init(_ followed: FollowedPerson, action: String, canBlock: Bool = false) {
        self.init(
            Person(username: followed.username, displayName: followed.displayName),
            since: followed.followedAt, action: action, canBlock: canBlock)
    }
}

/// What someone who is signed in sees on another person's list.
package struct VisitorsView: Sendable {
    let keys: FormKeys
    /// Whether they follow the owner; `nil` if the owner can't be followed.
    let isFollowing: Bool?
    /// What the lists have in common; `nil` if one of them is empty.
    let taste: SharedTaste?

    package init(keys: FormKeys, isFollowing: Bool?, taste: SharedTaste?) {
        self.keys = keys
        self.isFollowing = isFollowing
        self.taste = taste
    }
}

extension [Game] {
    /// The names of the games, with commas between them.
    var names: Words { map(\.name).listed }
}
