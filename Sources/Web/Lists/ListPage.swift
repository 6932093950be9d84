import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum ListPage {
    static let routes = [
        Route(
            .get, "/@{username}", .page, takes: .username, .text("saved"), returns: .response,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, username: Username, saved: String?
    ) async throws -> Response {
        let settings = context.services.settings
        async let snapshots = context.snapshots(of: username)
        guard let list = try await context.list(of: username) else {
            if let blocked = try await context.blockedPerson(username) {
                return BlockPages.blocked(blocked, context)
            }
            throw try await context.moved(from: username, Path.list)
        }
        let path = Path.list(list.owner.username)
        if context.request.target.path != path { return .redirect(to: path) }
        var page = PageModel(
            list.owner.listTitle, description: description(list),
            path: path, section: .people,
            json: "/api/v1/users/\(list.owner.username)/list", context: context.pageContext)
        page.type = "profile"
        if saved != nil, context.visitor?.user.id == list.owner.id { page.notice = .listSaved }
        page.beginsWithCover = list.entries.first?.game.coverImageID != nil
        page.isIndexed = list.owner.isPublic
        if page.isForMachines { page.image = PreviewImage(list, settings) }
        if list.owner.visibility != .private {
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: settings.publicURL)
        }
        if page.isForMachines, list.owner.isPublic, !list.entries.isEmpty {
            page.structuredData = StructuredData.of(
                list, in: page.language, for: settings.addresses)
        }
        let isOwner = context.visitor?.user.id == list.owner.id
        let unseen =
            isOwner ? try await context.services.store.hiddenEntries(of: list.owner.id) : []
        let shown = list.including(unseen)
        let content = View.list(
            shown, unseen: Set(unseen.map(\.id)), isOwner: isOwner,
            embedCode: EmbedCode(list, for: settings).html,
            tools: tools(for: shown, isOwner: isOwner, isGuest: context.visitor == nil),
            snapshots: try await snapshots.map { NamedLink($0, of: list.owner) },
            hidden: isOwner
                ? try await context.hiddenComments(
                    of: context.visitor,
                    in: shown.entries.filter { $0.comment.isEmpty }.map(\.id)) : [:],
            hearts: try await context.hearts(on: list), visitor: try await context.view(of: list),
            isGuest: context.visitor == nil, covers: page.covers)
        return Response.page(page, content)
    }

    /// What else can be done with a list, besides editing, sharing and following.
    static func tools(for list: FaveList, isOwner: Bool, isGuest: Bool = true) -> [NamedLink] {
        let name = list.owner.username
        let isEmpty = list.entries.isEmpty
        var tools: [NamedLink] = []
        if !isEmpty { tools.append(NamedLink(name: .similarTaste, href: Path.similar(name))) }
        if isOwner {
            if !isEmpty {
                tools.append(NamedLink(name: .takeSnapshot, href: Path.snapshots))
            }
            tools.append(NamedLink(name: .yourFollowers, href: Path.followers))
        }
        if list.owner.visibility != .private {
            tools.append(NamedLink(name: .embed, href: "#embed-code"))
            tools.append(NamedLink(name: .feed, href: Path.listFeed(name)))
        }
        if !isOwner {
            tools.append(NamedLink(name: .reportList, href: Path.report(user: name)))
            if !isGuest {
                tools.append(NamedLink(name: .blockPerson, href: Path.block(name)))
            }
        }
        return tools
    }

    private static func description(_ list: FaveList) -> Words {
        guard !list.entries.isEmpty else {
            return .stillChoosing(list.owner.displayName)
        }
        return .list(list.entries.map { $0.game.name.numbered($0.position) })
    }
}
