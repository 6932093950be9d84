import FaveGames

/// An entry in the page that edits a list.
package struct EditorSlot: Sendable {
    package enum Field: Sendable { case platform, rating, comment, tags }

    /// Unique in the form.
    let key: String
    /// The entry's place among the remaining entries.
    let number: Int
    let found: FoundGame
    /// The field that gets the focus; `nil` if it is elsewhere.
    let focus: Field?
    let isRemoved: Bool
    let isFirst: Bool
    let isLast: Bool
    let platforms: [Choice]
    let platformError: String?
    let comment: FormField
    let ratings: [Choice]
    let ratingError: String?
    let tags: FormField

    package init(
        key: String, number: Int, of count: Int, found: FoundGame, focus: Field?, isRemoved: Bool,
        platformID: Int?, platformError: String?, comment: FormField, rating: FormField,
        tags: FormField
    ) {
        self.key = key
        self.number = number
        self.found = found
        self.focus = focus
        self.isRemoved = isRemoved
        isFirst = number == 1
        isLast = number == count
        platforms = Choice.platforms(found.platforms, chosen: platformID)
        self.platformError = platformError
        self.comment = comment
        ratings = Choice.ratings(chosen: rating.value)
        ratingError = rating.error
        self.tags = tags
    }

    /// The numbers of the places that nothing is in.
    static func emptyPlaces(_ slots: [EditorSlot]) -> [Int] {
        let count = slots.count { !$0.isRemoved }
        return Array((min(count, FaveList.limit)..<FaveList.limit).map { $0 + 1 })
    }

    /// The entry that the page's script copies when someone picks a game.
    static let blank = EditorSlot(
        key: "new", number: 0, of: 0,
        found: FoundGame(
            game: Game(id: 0, name: "", releaseYear: nil, coverImageID: nil), platforms: []),
        focus: nil, isRemoved: false, platformID: nil, platformError: nil, comment: FormField(),
        rating: FormField(), tags: FormField())
}
