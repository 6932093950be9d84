public import FaveGames
public import Storage
import StorageWrites

/// Looking at one's news.
public struct NewsActions: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Records that a user looks at their news now, unless that wouldn't change anything. The page
    /// doesn't wait for it.
    public func see(_ visit: NewsVisit, as user: User) {
        guard visit.hasUnseen || visit.isDue else { return }
        store.seeNews(of: user.id)
    }
}
