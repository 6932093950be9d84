import FaveGames

extension TokenScope {
    /// The id of its field.
    var field: String {
        switch self {
        case .read: "scope-read"
        case .writeList: "scope-list"
        case .account: "scope-account"
        }
    }

    /// What it allows, in two or three words.
    package var title: String {
        switch self {
        case .read: "Read"
        case .writeList: "Change your list"
        case .account: "Manage your account"
        }
    }

    /// All that it allows.
    var details: String {
        switch self {
        case .read:
            "your profile and your list, even if they’re private, who you follow, your circles, and games you’ve imported."
        case .writeList: "add, change, move and remove games, take snapshots, and import games."
        case .account:
            "change your profile, follow and block people, say me too, create, change and leave circles with their links and webhooks, invite people, see and end sessions and tokens, and download everything, your email address included."
        }
    }
}
