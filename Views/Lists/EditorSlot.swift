import FaveGames
import Languages

/// An entry in the page that edits a list.
package struct EditorSlot: Sendable {
    /// Unique in the form.
    package let key: String
    /// The entry's place among the remaining entries.
    let number: Int
    let found: FoundGame
    /// Whether the field for the platform gets the focus.
    let hasFocus: Bool
    let isRemoved: Bool
    let isFirst: Bool
    let isLast: Bool
    let platforms: [Choice]
    let platformError: Words?
    let comment: FormField
    let ratings: [Choice]
    let ratingError: Words?
    let tags: FormField
    /// The comment that a moderator has taken from the entry.
    let hidden: HiddenComment?
    /// Whether the fields that can be left empty are unfolded.
    let isOpen: Bool
    /// Whether the rating and the tags are unfolded within them. Folded, those that are there look lost.
    let hasMore: Bool

    package init(
        key: String, number: Int, of count: Int, found: FoundGame, hasFocus: Bool, isRemoved: Bool,
        platformID: Int?, platformError: Words?, comment: FormField, rating: FormField,
        tags: FormField, hidden: HiddenComment? = nil
    ) {
        self.key = key
        self.number = number
        self.found = found
        self.hasFocus = hasFocus
        self.isRemoved = isRemoved
        isFirst = number == 1
        isLast = number == count
        platforms = Choice.platforms(found.platforms, chosen: platformID)
        self.platformError = platformError
        self.comment = comment
        ratings = Choice.ratings(chosen: rating.value)
        ratingError = rating.error
        self.tags = tags
        self.hidden = comment.value.isEmpty ? hidden : nil
        let hasError = rating.error != nil || tags.error != nil
        hasMore = hasError || !rating.value.isEmpty || !tags.value.isEmpty
        isOpen = hasError || comment.error != nil || comment.hasFocus
    }

    /// The entry in words, for example "2. Hollow Knight".
    package var title: Words { found.game.name.numbered(number) }

    /// The numbers of the places that nothing is in.
    static func emptyPlaces(_ slots: [EditorSlot]) -> [Int] {
        let count = slots.count { !$0.isRemoved }
        return Array((min(count, FaveList.limit)..<FaveList.limit).map { $0 + 1 })
    }

    /// The labels of the search for games, by the number of games on the list.
    static let searchLabels: [Words] = [
        .addFirst, .addSecond, .addThird, .addFourth, .addFifth, .swapOne,
    ]

    /// The entry that the page's script copies when someone picks a game.
    static let blank = EditorSlot(
        key: "new", number: 0, of: 0,
        found: FoundGame(
            game: Game(id: 0, name: GameTitle(""), releaseYear: nil, coverImageID: nil),
            platforms: []),
        hasFocus: false, isRemoved: false, platformID: nil, platformError: nil,
        comment: FormField(), rating: FormField(), tags: FormField())
}
