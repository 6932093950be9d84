import FaveGames
public import Foundation
import Postgres
public import Storage

// What people have seen of their news.
extension Store {
    /// Records in the background that a user looks at their news now. While the visit of another user
    /// is being recorded, this isn't: then the news stays new until the user looks again.
    public func seeNews(of userID: UUID) {
        database.pool.runInBackground(NewsQueries.see, [.uuid(userID)])
    }
}

extension NewsQueries {
    // MARK: Visits

    static let see = Statement(
        "see_news", .write,
        """
        INSERT INTO news_visits (user_id, since, seen_at)
        SELECT u.id, \(since), now()
        FROM users u LEFT JOIN news_visits v ON v.user_id = u.id
        WHERE u.id = $1 AND \(Sessions.asynchronously)
        ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at
        """)
}
