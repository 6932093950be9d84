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
                "getListCards", .users, "List the pictures of a user's list",
                "Their addresses change with what they show, and an old one redirects."),
            takes: .username,
            returns: .json(cards, "One for each format and theme.", mayMove: true)
        ) { context, username in
            let found = try await context.services.store.list(
                username: username.description, seenBy: nil)
            guard let list = found else {
                throw try await context.moved(from: username) { "/api/v1/users/\($0)/list/cards" }
            }
            let settings = context.services.settings
            return ShareCard.Variant.allCases.map {
                Card(
                    settings.card(of: list, $0), of: Path.list(list.owner.username),
                    publicURL: settings.publicURL)
            }
        },

        Route(
            .get, "/api/v1/platforms/{platform}/ranking/cards",
            .api(
                "getRankingCards", .platforms, "List the pictures of a platform's ranking",
                "Their addresses change with what they show, and an old one redirects."),
            takes: .platform, returns: .json(cards, "One for each format and theme.")
        ) { context, platform in
            let settings = context.services.settings
            let games = try await context.gamesOnCard(of: platform)
            return ShareCard.Variant.allCases.map {
                Card(
                    settings.card(of: games, on: platform, $0), of: Path.platform(platform),
                    publicURL: settings.publicURL)
            }
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
                """
                wide: for previews of links. portrait: for posts. story: fills the screen of a phone. \
                poster: covers alone.
                """
            ) { $0.card.format },
            .init(
                "theme", EnumerationRepresentation<ShareCard.Theme>(),
                "Of the background. The format wide is only light."
            ) { $0.card.theme },
            .init(
                "url",
                .text(format: "uri", example: "\(Example.site)/@rob/card-3f1ab8c2.png"),
                "The picture: a PNG in the format wide, otherwise a JPEG."
            ) { $0.url },
            .init("width", .integer(1..., example: 1200), "In pixels.") { $0.card.format.width },
            .init("height", .integer(1..., example: 630), "In pixels.") { $0.card.format.height },
        ])

    private static let cards = ObjectRepresentation<[Card]>(
        nil, nil,
        [
            .init(
                "cards", .array(of: card, atMost: ShareCard.Variant.allCases.count),
                "One for each format and theme."
            ) { $0 }
        ])
}
