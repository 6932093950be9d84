import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The pages where someone blocks and unblocks people.
enum BlockPages {
    private static let pageSize = 50

    private static let forms = RouteGroup<Visitor>(for: .visitor(returningTo: Path.blockedPeople))

    static let routes = [
        Route(
            .get, "/@{username}/block", .page, takes: .visitor, .username, returns: .response,
            caching: .never, handler: confirm),
        Route(
            .post, "/@{username}/block", .page, takes: .visitor(returningTo: Path.blockedPeople),
            .username, returns: .response, handler: block),
        Route(
            .get, Path.blockedPeople, .page, takes: .visitor, .cursor(InclusionCursor.self),
            .text("done"), returns: .response, caching: .never, handler: people),
        forms.post("/@{username}/unblock", takes: .username, .formReturnPath, handler: unblock),
    ]

    /// The page of someone whom the visitor has blocked.
    static func blocked(_ person: BlockedPerson, _ context: RequestContext) -> Response {
        .privatePage(
            model(context, .youBlocked(person.displayName)),
            .blocked(
                FormKeys(token: context.formToken().token, returnPath: Path.list(person.username)),
                Person(username: person.username, displayName: person.displayName)))
    }

    @Sendable private static func confirm(
        _ context: RequestContext, visitor: Visitor, username: Username
    ) async throws -> Response {
        guard username.description != visitor.user.username else { throw BlockError.oneself }
        if let blocked = try await context.blockedPerson(username) {
            return .seeOther(Path.list(blocked.username))
        }
        let user = try await context.services.store.blockableUser(
            username: username.description, by: visitor.user.id)
        guard let found = user else { throw try await context.moved(from: username, Path.block) }
        return .privatePage(
            model(context, .block(found.displayName)),
            .block(
                FormKeys(token: context.formToken().token), problem: context.problem(),
                Person(found)))
    }

    @Sendable private static func block(
        _ context: RequestContext, visitor: Visitor, username: Username
    ) async throws -> Response {
        try await context.blocks.block(username, as: visitor.user)
        return .seeOther(Path.list(username.description))
    }

    @Sendable private static func unblock(
        _ context: RequestContext, visitor: Visitor, username: Username, returnPath: String?
    ) async throws -> Response {
        try await context.blocks.unblock(username, as: visitor.user)
        let page = returnPath ?? Path.list(username.description)
        return .seeOther(page == Path.blockedPeople ? "\(page)?done=unblocked" : page)
    }

    @Sendable private static func people(
        _ context: RequestContext, visitor: Visitor, cursor: InclusionCursor?, done: String?
    ) async throws -> Response {
        let found = try await context.services.store.blockedPeople(
            of: visitor.user.id, limit: pageSize, at: cursor)
        let content = View.blockedPeople(
            FormKeys(token: context.formToken().token, returnPath: Path.blockedPeople),
            notice: done == nil ? nil : .unblocked,
            rows: found.people.map {
                FollowRow(
                    Person(username: $0.username, displayName: $0.displayName),
                    since: $0.blockedAt, action: Path.unblock($0.username))
            }, none: cursor == nil ? .blockedNoOne : .noOneElse,
            pager: Pager(
                path: Path.blockedPeople, next: await context.sealed(found.next),
                isFirst: cursor == nil))
        return .privatePage(model(context, .blockedPeople), content)
    }

    private static func model(_ context: RequestContext, _ title: Words) -> PageModel {
        var page = PageModel(
            title, description: .aboutBlockedPeople, path: nil, section: .settings,
            context: context.pageContext)
        page.isIndexed = false
        return page
    }
}

extension RequestContext {
    /// The person with this username, if the visitor has blocked them.
    func blockedPerson(_ username: Username) async throws -> BlockedPerson? {
        guard let visitor else { return nil }
        return try await services.store.blockedPerson(
            username: username.description, by: visitor.user.id)
    }
}
