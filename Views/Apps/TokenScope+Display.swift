import FaveGames
import Languages

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
    package var title: Words {
        switch self {
        case .read: .mayRead
        case .writeList: .mayChangeList
        case .account: .mayManageAccount
        }
    }

    /// All that it allows.
    var details: Words {
        switch self {
        case .read:
            .readingDetails
        case .writeList: .changingDetails
        case .account:
            .managingDetails
        }
    }
}
