import Endpoints
import FaveGames
import HTTPTypes
import ShareCard
import Storage
import Views

/// The addresses of the pictures of lists and rankings.
enum CardsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/users/{username}/list/cards",
            .api(
                "listListCards", .users, "List the pictures of a user's list",
                "Their addresses change with what they show, and an old one redirects."),
            takes: .username,
            returns: .json(cards, "One for each format.", mayMove: true)
        ) { context, username in
            let found = try await context.services.store.list(
                username: username.description, seenBy: nil)
            guard let list = found else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)/list/cards" }
            }
            let settings = context.services.settings
            return ShareCard.Format.allCases.map {
                Card(
                    settings.card(of: list, $0), of: Path.list(list.owner.username),
                    publicURL: settings.publicURL)
            }
        },

        Route(
            .get, "/api/v1/platforms/{platform}/ranking/cards",
            .api(
                "listRankingCards", .platforms, "List the pictures of a platform's ranking",
                "Their addresses change with what they show, and an old one redirects."),
            takes: .platform, returns: .json(cards, "One for each format.")
        ) { context, platform in
            var found: [Card] = []
            for format in ShareCard.Format.allCases {
                found.append(
                    Card(
                        try await context.card(of: platform, format),
                        of: Path.platform(platform), publicURL: context.services.settings.publicURL)
                )
            }
            return found
        },
    ]

    struct Card: Sendable {
        let card: ShareCard
        let url: String

        init(_ card: ShareCard, of page: String, publicURL: String) {
            self.card = card
            url = publicURL + Path.card(page, card.fileName)
        }
    }

    private static let card = ObjectRepresentation<Card>(
        "Card", "A picture to share.",
        [
            .init(
                "format", EnumerationRepresentation<ShareCard.Format>(),
                "wide: for previews of links. story: fills the screen of a phone."
            ) { $0.card.format },
            .init(
                "url",
                .text(format: "uri", example: "\(Example.site)/@rob/card-3f1ab8c2.png"),
                "The picture, a PNG."
            ) { $0.url },
            .init("width", .integer(1..., example: 1200), "In pixels.") { $0.card.format.width },
            .init("height", .integer(1..., example: 630), "In pixels.") { $0.card.format.height },
        ])

    private static let cards = ObjectRepresentation<[Card]>(
        nil, nil, [.init("cards", .array(of: card, atMost: 3), "One for each format.") { $0 }])
}
