import FaveGames
import Languages

/// What a page offers to do with a game and the visitor's list.
package struct AddOffer: Sendable {
    /// The text of the link that adds the game; `nil` if the game is already on the list.
    let action: Words?
    let href: String
    /// A remark about the list.
    let note: Words?

    /// - Parameters:
    ///   - platform: The platform whose page this is; `nil` for a page of all platforms.
    ///   - list: The visitor's list; `nil` if the visitor is not signed in.
    package init(_ game: Game, on platform: Platform? = nil, to list: FaveList?) {
        let adding = Path.addToList(game.id, on: platform)
        guard let list else {
            (action, href, note) = (.addToList, adding, nil)
            return
        }
        let entry = list.entries.first {
            $0.game.id == game.id && (platform == nil || $0.platform.id == platform?.id)
        }
        let left = FaveList.limit - list.entries.count
        if let entry {
            (action, href) = (nil, "\(Path.list(list.owner.username))#\(entry.position)")
            note = .onYourList(as: entry.position)
        } else if left <= 0 {
            (action, href, note) = (
                .swapIn, adding, .fiveAreFull
            )
        } else {
            (action, href) = (.addToList, adding)
            note = left == FaveList.limit ? nil : .placesLeft(left)
        }
    }
}
