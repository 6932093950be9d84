import Endpoints
import FaveGames
import HTTPTypes
import Storage

/// The current user's news, as the home page shows it.
enum NewsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/news",
            .api(
                "getNews", .me, "Get what is new for the user",
                "Since about the end of their last visit to the home page. Reading it here doesn't "
                    + "count as a visit."),
            takes: .user(.read), returns: .json(V1.news, "The news.")
        ) { context, user in
            guard let news = try await context.services.store.news(of: user.id) else {
                throw Problem.unauthorized(hadToken: true)
            }
            return news
        }
    ]
}
