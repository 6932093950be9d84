import Endpoints
import FaveGames
import Views

extension News.ListOwner: NamedUser {}

/// The kinds of news.
private enum NewsKind: String, CaseIterable {
    case hearts, games, members
}

extension V1 {
    static let news = ObjectRepresentation<News>(
        "News", "The events around the user's list.",
        [
            .init("since", .date, "From when on; at most \(News.days) days ago.") { $0.since },
            .init("items", .array(of: newsItem, atMost: News.limit), "The latest first.") {
                $0.items
            },
            .init(
                "numberOne", NullableRepresentation(numberOneMove),
                """
                How the first game of the user's list has moved in the ranking of its platform; null \
                if it hasn't.
                """
            ) { $0.numberOne },
        ])

    private static let newsItem = ObjectRepresentation<News.Item>(
        "NewsItem", "Events of one kind that belong together.",
        [
            .init(
                "kind",
                EnumerationRepresentation<NewsKind>(
                    """
                    hearts: people said “me too” to the user's comment about the game. games: these \
                    games came onto the list of someone whom the user follows, or who is in one of the \
                    user's circles. members: people joined one of the user's circles.
                    """)
            ) { $0.event.kind },
            .init("at", .date, "When the last of them happened.") { $0.at },
            .init("count", .integer(1..., example: 12), "How many people, or games.") {
                $0.event.count
            },
            .init("games", .array(of: game, atMost: FaveList.limit), "The games.") {
                $0.event.games
            },
            .init("user", NullableRepresentation(person), "Whose list; or null.") {
                $0.event.owner.map(Person.init)
            },
            .init("circle", NullableRepresentation(namedCircle), "The circle; or null.") {
                $0.event.circle
            },
            .init(
                "member", NullableRepresentation(namedMember), "The one who joined last; or null."
            ) { $0.event.member },
        ])

    private static let namedCircle = ObjectRepresentation<News.NamedCircle>(
        nil, nil,
        [
            .init("id", .uuid(example: Example.circle), "The circle's id.") { $0.id },
            .init("name", .text(.circleName), "The circle's name.") { $0.name },
            page("/circles/tuesday-club") { Path.circle($0.slug) },
        ])

    private static let namedMember = ObjectRepresentation<News.NamedMember>(
        nil, nil,
        [
            .init(
                "username", .nullable(.text(.username)),
                "The username; null unless the member's list is public."
            ) { $0.username },
            .init("displayName", .text(.displayName), "The name that is shown.") {
                $0.displayName
            },
        ])

    private static let numberOneMove = ObjectRepresentation<NumberOneMove>(
        nil, nil,
        [
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
            .init("from", .integer(1..., example: 5), "The rank then.") { $0.from },
            .init("to", .integer(1..., example: 3), "The rank now.") { $0.to },
        ])
}

extension News.Event {
    fileprivate var kind: NewsKind {
        switch self {
        case .hearts: .hearts
        case .games: .games
        case .members: .members
        }
    }

    fileprivate var count: Int {
        switch self {
        case .hearts(let count, _, _), .members(let count, _, _): count
        case .games(let games, _): games.count
        }
    }

    fileprivate var games: [Game] {
        switch self {
        case .hearts(_, let game, _): [game]
        case .games(let games, _): games
        case .members: []
        }
    }

    fileprivate var owner: News.ListOwner? {
        if case .games(_, let owner) = self { owner } else { nil }
    }

    fileprivate var circle: News.NamedCircle? {
        if case .members(_, let circle, _) = self { circle } else { nil }
    }

    fileprivate var member: News.NamedMember? {
        if case .members(_, _, let latest) = self { latest } else { nil }
    }
}
