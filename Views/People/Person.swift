import FaveGames

/// Someone with a list, as pages show them.
package struct Person: Sendable {
    let username: String
    let name: String

    package init(username: String, displayName: String) {
        self.username = username
        name = displayName
    }

    package init(_ user: User) {
        self.init(username: user.username, displayName: user.displayName)
    }

    init(_ inclusion: Inclusion) {
        self.init(username: inclusion.username, displayName: inclusion.displayName)
    }

    var href: String { Path.list(username) }

    /// Shown instead of a picture.
    var placeholder: Placeholder { Placeholder(username: username, displayName: name) }
}
