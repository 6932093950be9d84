import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The pages with the people that someone follows, what they changed, and who follows them.
enum FollowingPage {
    private static let changesShown = 30
    private static let peopleShown = 12
    private static let pageSize = 50

    private static let forms = RouteGroup<Visitor>(for: .visitor(returningTo: Path.following))

    static let routes = [
        Route(
            .get, Path.following, .page, takes: .visitor, .cursor(InclusionCursor.self),
            .text("done"), returns: .response, caching: .never, costs: .dear
        ) { context, visitor, cursor, done in
            try await page(context, visitor, at: cursor, notice: done.flatMap(Done.init)?.notice)
        },
        Route(
            .get, Path.followedPeople, .page, takes: .visitor, .cursor(InclusionCursor.self),
            returns: .response, caching: .never, handler: people),
        Route(
            .get, Path.followers, .page, takes: .visitor, .cursor(InclusionCursor.self),
            .text("done"), returns: .response, caching: .never, handler: followers),
        Route(
            .post, "\(Path.followers)/{username}/remove", .page,
            takes: .visitor(returningTo: Path.followers), .username, returns: .response,
            handler: remove),
        forms.post(
            "/@{username}/follow", takes: .username, .form(Wish.self), .formReturnPath,
            handler: follow),
        forms.post(Path.followFeed, handler: makeFeed),
        forms.post(Path.followFeedRemoval, handler: removeFeed),
    ]

    /// What a form on the pages has done.
    private enum Done: String {
        case unfollowed
        case removed
        case feedRemoved = "feed-removed"

        var notice: Words {
            switch self {
            case .unfollowed: .personUnfollowed
            case .removed: .followerRemoved
            case .feedRemoved: .feedRemoved
            }
        }
    }

    // MARK: Pages

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, at cursor: InclusionCursor? = nil,
        notice: Words? = nil, made: SecretToken? = nil
    ) async throws -> Response {
        let services = context.services
        let id = visitor.user.id
        async let changes = services.store.changes(
            followedBy: id, limit: changesShown, at: cursor)
        async let people = services.store.following(of: id, limit: peopleShown)
        async let feedDate = services.store.followFeedDate(of: id)
        let found = try await changes
        let shown = try await people
        let content = View.following(
            keys(context, Path.following), notice: notice,
            changes: ChangedList.lists(with: found.entries),
            hearts: try await context.hearts(
                of: found.entries.map(\.inclusion),
                returningTo: made == nil ? nil : Path.following),
            pager: Pager(
                path: Path.following, next: await context.sealed(found.next), isFirst: cursor == nil
            ),
            people: rows(shown.people), hasMorePeople: shown.next != nil,
            feed: FeedState(
                madeAt: try await feedDate,
                address: made.map {
                    services.settings.publicURL + Path.followFeed + "?key=" + $0.text
                }), covers: services.settings.covers)
        return .privatePage(
            model(context, .following, .aboutFollowing), content)
    }

    @Sendable private static func people(
        _ context: RequestContext, visitor: Visitor, cursor: InclusionCursor?
    ) async throws -> Response {
        let found = try await context.services.store.following(
            of: visitor.user.id, limit: pageSize, at: cursor)
        let content = View.followPeople(
            keys(context, Path.followedPeople), title: .peopleYouFollow,
            lead: .onlyTheySee, notice: nil,
            rows: rows(found.people), button: .unfollow, value: "unfollow",
            none: cursor == nil ? .followsNoOne : .noOneElse,
            pager: Pager(
                path: Path.followedPeople, next: await context.sealed(found.next),
                isFirst: cursor == nil))
        return .privatePage(
            model(context, .peopleYouFollow, .everyoneYouFollow), content)
    }

    @Sendable private static func followers(
        _ context: RequestContext, visitor: Visitor, cursor: InclusionCursor?, done: String?
    ) async throws -> Response {
        let found = try await context.services.store.followers(
            of: visitor.user.id, limit: pageSize, at: cursor)
        let rows = found.people.map {
            FollowRow($0, action: Path.removeFollower($0.username), canBlock: true)
        }
        let content = View.followPeople(
            keys(context, Path.followers), title: .followers,
            lead: .onlyYouAndTheyKnow,
            notice: done.flatMap(Done.init)?.notice, rows: rows, button: .removeFollower,
            value: "remove", none: cursor == nil ? .followsNoOne : .noOneElse,
            pager: Pager(
                path: Path.followers, next: await context.sealed(found.next), isFirst: cursor == nil
            ))
        return .privatePage(model(context, .followers, .everyoneWhoFollowsYou), content)
    }

    private static func model(_ context: RequestContext, _ title: Words, _ text: Words)
        -> PageModel
    {
        var page = PageModel(
            title, description: text, path: nil, section: .following,
            context: context.pageContext)
        page.isIndexed = false
        return page
    }

    private static func rows(_ people: [FollowedPerson]) -> [FollowRow] {
        people.map { FollowRow($0, action: Path.follow($0.username)) }
    }

    private static func keys(_ context: RequestContext, _ returnPath: String) -> FormKeys {
        FormKeys(token: context.formToken().token, returnPath: returnPath)
    }

    // MARK: Forms

    private enum Choice: String, CaseIterable {
        case follow, unfollow
    }

    private struct Wish: RequestBody {
        let choice: Choice

        init?(from reader: inout JSONObjectReader) {
            guard let choice: Choice = reader.required("do", .choice) else { return nil }
            self.choice = choice
        }
    }

    @Sendable private static func follow(
        _ context: RequestContext, visitor: Visitor, username: Username, wish: Wish,
        returnPath: String?
    ) async throws -> Response {
        switch wish.choice {
        case .follow: try await context.follows.follow(username, as: visitor.user)
        case .unfollow: try await context.follows.unfollow(username, as: visitor.user)
        }
        let page = returnPath ?? Path.list(username.description)
        guard page == Path.following, wish.choice == .unfollow else { return .seeOther(page) }
        return .seeOther("\(page)?done=\(Done.unfollowed.rawValue)")
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, username: Username
    ) async throws -> Response {
        try await context.follows.removeFollower(username, of: visitor.user)
        return .seeOther("\(Path.followers)?done=\(Done.removed.rawValue)")
    }

    @Sendable private static func makeFeed(
        _ context: RequestContext, visitor: Visitor
    ) async throws -> Response {
        let secret = try await context.follows.makeFeed(of: visitor.bearer)
        return try await page(context, visitor, made: secret)
    }

    @Sendable private static func removeFeed(
        _ context: RequestContext, visitor: Visitor
    ) async throws -> Response {
        try await context.follows.removeFeed(of: visitor.user)
        return .seeOther("\(Path.following)?done=\(Done.feedRemoved.rawValue)")
    }
}
