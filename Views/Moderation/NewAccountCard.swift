import Foundation

/// Someone whose list isn't shown publicly yet, as moderators see them.
package struct NewAccountCard: Sendable {
    let username: String
    let name: String
    let bio: String
    let until: Date
    /// Shows the list at once.
    let action: String

    package init(username: String, name: String, bio: String, until: Date, action: String) {
        self.username = username
        self.name = name
        self.bio = bio
        self.until = until
        self.action = action
    }
}
