import FaveGames

/// The contents of the picture that is shown beside a link to someone's list.
///
/// Equal cards give the same picture.
public struct ShareCard: Hashable, Sendable {
    /// In pixels; the size that link previews are made for.
    public static let width = 1200
    public static let height = 630

    let name: String
    let username: String
    let avatar: Placeholder
    /// At most five, in the order of their ranks.
    let entries: [Entry]

    struct Entry: Hashable, Sendable {
        let rank: Int
        let title: String
        let platform: String
        let year: Int?
        let cover: Placeholder
    }

    public init(_ list: FaveList) {
        name = CardText.clean(list.owner.displayName)
        username = list.owner.username
        avatar = Placeholder(username: username, displayName: name)
        entries = list.entries.prefix(FaveList.limit).map { entry in
            let game = Game(
                id: entry.game.id, name: CardText.clean(entry.game.name),
                releaseYear: entry.game.releaseYear, coverImageID: nil)
            return Entry(
                rank: entry.position, title: game.name,
                platform: CardText.clean(entry.platform.name), year: game.releaseYear,
                cover: Placeholder(game))
        }
    }
}

/// A card that could not be drawn.
public struct CardError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
