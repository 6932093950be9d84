import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Storage
import Views

/// A circle's page: its rankings, what its members have in common, and who they are.
enum CirclePage {
    private static let pattern = "\(Path.circles)/{circle}"
    private static let platformsPerPage = 6
    private static let gamesPerPlatform = 5
    private static let gamesPerPage = 50

    static let routes = [
        Route(
            .get, pattern, .page, takes: .circle, from("platform"), .text("done"),
            returns: .response, handler: show),
        Route(
            .get, "\(pattern)/platforms/{platform}", .page, takes: .circle, .platformReference,
            .platform, from("game"), returns: .response, handler: showRanking),
        Route(
            .post, "\(pattern)/leave", .page, takes: .visitor(returningTo: Path.circles), .circle,
            on: pattern, returns: .response, handler: leave),
        Route(
            .post, "\(pattern)/hide", .page,
            takes: .moderatingVisitor(returningTo: Path.circles), .circle,
            .form(ModerationAPI.NewReason.self), on: pattern, returns: .response, handler: hide),
    ]

    private static func from(_ noun: String) -> Input<Services, Int> {
        .integer("from", in: 1...500, default: 1, "The place of the first \(noun).", example: 1)
    }

    /// The action that the page confirms.
    enum Done: String {
        case joined, handedOver, hidden

        fileprivate var text: String {
            switch self {
            case .joined: "You’re in."
            case .handedOver: "The circle has a new owner. You’re still a member."
            case .hidden: "The name and the description are hidden."
            }
        }

        func path(of id: UUID) -> String { "\(Path.circle(id))?done=\(rawValue)" }
    }

    @Sendable private static func show(
        _ context: RequestContext, id: UUID, first: Int, done: String?
    ) async throws -> Response {
        let services = context.services
        let view = try await context.circle(id, seenBy: context.visitor?.user.id)
        let path = Path.circle(id)
        // A circle's only address is in lower case.
        if context.sent == nil, context.request.target.path != path { return .redirect(to: path) }
        let circle = view.circle
        // One more platform is read, only to find out whether there is another page.
        async let found = services.store.rankings(
            of: view, platforms: first...(first + platformsPerPage), games: 1...gamesPerPlatform)
        async let common = first == 1 ? services.store.commonGames(of: view) : []
        let rankings = try await found
        let isPublic = circle.visibility == .public
        var page = PageModel(
            circle.name, description: description(view), path: path, section: .people,
            json: isPublic ? "/api/v1\(path)/rankings" : nil, context: context.pageContext)
        page.isIndexed = isPublic && first == 1
        // People who aren't signed in see only public circles.
        if page.isForMachines {
            page.image = PreviewImage(
                try await context.card(ofPublic: view), of: path,
                words: "\(circle.name): \(page.description)",
                publicURL: services.settings.publicURL)
        }
        if context.visitor != nil { page.notice = done.flatMap(Done.init)?.text }
        let canHide = isPublic && context.visitor?.user.role.mayModerate == true
        let hasForm = view.role == .member || canHide
        let hiding = context.fields(of: "\(path)/hide", showing: ["reason": ""])
        let content = HTML.circle(
            circle, role: view.role,
            tops: rankings.prefix(platformsPerPage).map { CircleTop($0, of: path) },
            next: rankings.count > platformsPerPage
                ? "\(path)?from=\(first + platformsPerPage)" : nil,
            isFirst: first == 1, common: try await common,
            members: view.members.map { CircleMemberRow($0, of: path) },
            keys: hasForm ? FormKeys(token: context.formToken().token) : nil,
            canonical: page.canonical, shareText: services.settings.spoken(path),
            problem: context.problem(besides: hiding), hiding: canHide ? hiding : nil)
        // What only members see must not be stored anywhere.
        guard isPublic, view.role == nil, !hasForm, context.sent == nil else {
            return .privatePage(page, content)
        }
        return Response.page(page, content)
    }

    private static func description(_ view: CircleView) -> String {
        view.circle.description.isEmpty
            ? "The favourite games of a circle of \(CircleCard.members(view.members.count))."
            : view.circle.description
    }

    @Sendable private static func showRanking(
        _ context: RequestContext, id: UUID, reference: PlatformReference, platform: Platform,
        first: Int
    ) async throws -> Response {
        let view = try await context.circle(id, seenBy: context.visitor?.user.id)
        let path = "\(Path.circle(id))/platforms/\(platform.slug)"
        if context.request.target.path != path { return .redirect(to: path) }
        let ranking = try await context.services.store.rankings(
            of: view, on: platform.id, games: first...(first + gamesPerPage - 1)
        ).first
        let isPublic = view.circle.visibility == .public
        var page = PageModel(
            "\(view.circle.name) on \(platform.name)",
            description: "What a circle loves most on \(platform.name).", path: path,
            section: .people, json: isPublic ? "/api/v1\(path)/ranking" : nil,
            context: context.pageContext)
        page.isIndexed = false
        let end = first + gamesPerPage
        let content = HTML.circleRanking(
            of: view.circle, on: platform,
            rows: RankingRow.rows(ranking?.games ?? [], on: platform),
            next: ranking.map { $0.gameCount >= end } == true ? "\(path)?from=\(end)" : nil,
            first: first == 1 ? nil : path)
        guard isPublic, view.role == nil else { return .privatePage(page, content) }
        return Response.page(page, content)
    }

    @Sendable private static func leave(
        _ context: RequestContext, visitor: Visitor, id: UUID
    ) async throws -> Response {
        try await context.circles.leave(id, as: visitor.user)
        return .seeOther(CirclesPage.Done.left.path)
    }

    @Sendable private static func hide(
        _ context: RequestContext, visitor: Visitor, id: UUID, new: ModerationAPI.NewReason
    ) async throws -> Response {
        try await context.moderation.hideCircle(id, reason: new.reason, by: visitor.user)
        return .seeOther(Done.hidden.path(of: id))
    }
}
