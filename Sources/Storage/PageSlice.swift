import FaveGames

/// A page out of what was read for it: one thing more than it holds, which only says whether there
/// is another page beyond.
struct PageSlice<Item> {
    let items: ArraySlice<Item>
    let hasNext: Bool
    let hasPrevious: Bool

    /// - Parameters:
    ///   - items: In the order of the whole, whichever way they were looked for.
    ///   - direction: From the cursor; `nil` for the first page.
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
