import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// A circle's page: what most of its members love, who they are with their five, and its rankings.
enum CirclePage {
    private static let pattern = "\(Path.circles)/{circle}"
    private static let lovedShown = 12
    private static let membersPerPage = 30
    private static let platformsShown = 6
    private static let gamesPerPlatform = 5
    private static let gamesPerPage = 50

    static let routes = [
        Route(
            .get, pattern, .page, takes: .visibleCircle,
            from("member", in: 1...Circle.memberLimit), .text("done"),
            returns: .response, handler: show),
        Route(
            .get, "\(pattern)/platforms/{platform}", .page, takes: .visibleCircle,
            .platform, from("game", in: 1...500), returns: .response, handler: showRanking),
        Route(
            .post, "\(pattern)/leave", .page, takes: .visitor(returningTo: Path.circles),
            .visibleCircle, on: pattern, returns: .response, handler: leave),
        Route(
            .post, "\(pattern)/hide", .page,
            takes: .moderatingVisitor(returningTo: Path.circles), .visibleCircle,
            .form(ModerationAPI.NewReason.self), on: pattern, returns: .response, handler: hide),
    ]

    private static func from(_ noun: String, in range: ClosedRange<Int>) -> Input<Services, Int> {
        .integer("from", in: range, default: 1, "The place of the first \(noun).", example: 1)
    }

    /// The action that the page confirms.
    enum Done: String {
        case joined, handedOver, hidden

        fileprivate var text: Words {
            switch self {
            case .joined: .circleJoined
            case .handedOver: .circleHandedOver
            case .hidden: .circleHidden
            }
        }

        func path(of circle: Circle) -> String {
            "\(Path.circle(circle.slug))?done=\(rawValue)"
        }
    }

    @Sendable private static func show(
        _ context: RequestContext, view: CircleView, first: Int, done: String?
    ) async throws -> Response {
        let services = context.services
        let circle = view.circle
        let path = Path.circle(circle.slug)
        // A circle's only address is in lower case.
        if context.sent == nil, context.request.target.path != path { return .redirect(to: path) }
        let isFirst = first == 1
        let order = view.members.filter(\.isViewer) + view.members.filter { !$0.isViewer }
        let members = order.dropFirst(first - 1).prefix(membersPerPage)
        async let found = services.store.games(of: members, in: view)
        async let loved = isFirst ? services.store.commonGames(of: view, limit: lovedShown) : []
        async let rankings =
            isFirst
            ? services.store.rankings(
                of: view, sharedBy: 2, platforms: 1...platformsShown, games: 1...gamesPerPlatform)
            : []
        let list = isFirst && view.role != nil ? try await context.visitorsList() : nil
        let own = list.map(OwnShelf.init)
        let games = try await found
        let isPublic = circle.visibility == .public
        var page = PageModel(
            Words(name: circle.name), description: description(view), path: path, section: .people,
            json: isPublic ? "\(api(circle))/rankings" : nil, context: context.pageContext)
        page.isIndexed = isPublic && isFirst
        // People who aren't signed in see only public circles.
        if page.isForMachines {
            page.image = PreviewImage(
                try await context.card(ofPublic: view), of: path,
                words: .about(circle.name, page.description),
                publicURL: services.settings.publicURL)
        }
        if context.visitor != nil { page.notice = done.flatMap(Done.init)?.text }
        let canHide = isPublic && context.visitor?.user.role.mayModerate == true
        let hasForm = view.role == .member || canHide
        let hiding = context.fields(of: "\(path)/hide", showing: ["reason": ""])
        let end = first + membersPerPage
        let content = View.circle(
            circle, role: view.role, memberCount: view.members.count,
            loved: try await loved,
            members: members.map { member in
                CircleMemberRow(
                    member, of: path, games: games[member.id] ?? [],
                    own: member.isViewer ? own : nil)
            },
            tops: try await rankings.map { CircleTop($0, of: path) },
            next: end <= order.count ? "\(path)?from=\(end)" : nil, isFirst: isFirst,
            hasGames: !games.isEmpty, isStarting: own?.games.isEmpty == true,
            keys: hasForm ? FormKeys(token: context.formToken().token) : nil,
            canonical: page.canonical, shareText: services.settings.spoken(path),
            problem: context.problem(besides: hiding), hiding: canHide ? hiding : nil,
            covers: page.covers)
        // What only members see must not be stored anywhere.
        guard isPublic, view.role == nil, !hasForm, context.sent == nil else {
            return .privatePage(page, content)
        }
        return Response.page(page, content)
    }

    private static func description(_ view: CircleView) -> Words {
        view.circle.description.isEmpty
            ? .aboutCircle(members: view.members.count) : Words(name: view.circle.description)
    }

    @Sendable private static func showRanking(
        _ context: RequestContext, view: CircleView, platform: Platform, first: Int
    ) async throws -> Response {
        let circle = view.circle
        let part = "platforms/\(platform.slug)"
        let path = Path.circle(circle.slug, part)
        if context.request.target.path != path { return .redirect(to: path) }
        let ranking = try await context.services.store.rankings(
            of: view, on: platform.id, games: first...(first + gamesPerPage - 1)
        ).first
        let isPublic = circle.visibility == .public
        var page = PageModel(
            .circle(circle.name, on: platform.name),
            description: .aboutCircle(on: platform.name), path: path,
            section: .people, json: isPublic ? "\(api(circle))/\(part)/ranking" : nil,
            context: context.pageContext)
        page.isIndexed = false
        let end = first + gamesPerPage
        let content = View.circleRanking(
            of: circle, on: platform, rows: RankingRow.rows(ranking?.games ?? [], on: platform),
            next: ranking.map { $0.gameCount >= end } == true ? "\(path)?from=\(end)" : nil,
            first: first == 1 ? nil : path, covers: page.covers)
        guard isPublic, view.role == nil else { return .privatePage(page, content) }
        return Response.page(page, content)
    }

    /// The address of a circle in the API.
    private static func api(_ circle: Circle) -> String {
        "/api/v1/circles/\(circle.id.text)"
    }

    @Sendable private static func leave(
        _ context: RequestContext, visitor: Visitor, view: CircleView
    ) async throws -> Response {
        try await context.circles.leave(view.circle.id, as: visitor.user)
        return .seeOther(CirclesPage.Done.left.path)
    }

    @Sendable private static func hide(
        _ context: RequestContext, visitor: Visitor, view: CircleView, new: ModerationAPI.NewReason
    ) async throws -> Response {
        let id = view.circle.id
        try await context.moderation.hideCircle(id, reason: new.reason, by: visitor.user)
        // It has another address now.
        return try await .seeOther(
            Done.hidden.path(of: context.circle(id, seenBy: visitor.user.id).circle))
    }
}
