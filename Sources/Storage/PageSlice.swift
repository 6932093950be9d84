import FaveGames

/// A page of the items that were read for it. One more item than the page holds is read, to find
/// out whether there is another page.
struct PageSlice<Item> {
    let items: ArraySlice<Item>
    let hasNext: Bool
    let hasPrevious: Bool

    /// - Parameters:
    ///   - items: In the order of the whole listing, whichever direction they were read in.
    ///   - direction: The direction from the cursor; `nil` for the first page.
    init(_ items: [Item], limit: Int, _ direction: PageDirection?) {
        let hasMore = items.count > limit
        switch direction {
        case .before:
            self.items = items.suffix(limit)
            hasPrevious = hasMore
            hasNext = true
        case .after, nil:
            self.items = items.prefix(limit)
            hasPrevious = direction != nil
            hasNext = hasMore
        }
    }
}
