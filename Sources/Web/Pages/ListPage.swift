import FaveGames
import HTTP

enum ListPage {
    struct Model: Sendable {
        let page: PageModel
        let person: PersonModel
        let updated: TimeModel?
        let entries: [EntryModel]
        let hasEntries: Bool
        let bio: String?
        let isOwner: Bool
        let isUnlisted: Bool
        let isPrivate: Bool
        /// The address as somebody would say it.
        let shareText: String
        /// For another site.
        let embedCode: String
    }

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        guard let list = try await call.listOfPath() else {
            return try await call.redirectToSuccessor(Path.list)
        }
        let path = Path.list(list.owner.username)
        if call.request.target.path != path { return .redirect(to: path) }
        var page = PageModel(
            "Favourite games of \(list.owner.displayName)", description: description(list),
            path: path, section: .people,
            json: "/api/v1/users/\(list.owner.username)/list", context: call.context)
        page.type = "profile"
        page.noindex = list.owner.visibility != .public
        page.image = ImageModel(list, publicURL: services.settings.publicURL)
        let address = services.settings.publicURL + path
        if list.owner.visibility != .private {
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: services.settings.publicURL)
        }
        if list.owner.visibility == .public, !list.entries.isEmpty {
            page.structuredData = StructuredData.of(list, publicURL: services.settings.publicURL)
        }
        let model = Model(
            page: page, person: PersonModel(list.owner),
            updated: list.owner.listUpdatedAt.map { TimeModel($0) },
            entries: list.entries.map {
                EntryModel($0, counts: list.owner.visibility != .private)
            },
            hasEntries: !list.entries.isEmpty,
            bio: list.owner.bio.isEmpty ? nil : list.owner.bio,
            isOwner: call.visitor?.user.id == list.owner.id,
            isUnlisted: list.owner.visibility == .unlisted,
            isPrivate: list.owner.visibility == .private,
            shareText: address.replacing(/^https?:\/\//, with: ""),
            embedCode: EmbedCode(list, publicURL: services.settings.publicURL).html)
        return try Response.html(services.views.render(.list, model)).conditional(for: call.request)
    }

    private static func description(_ list: FaveList) -> String {
        guard !list.entries.isEmpty else {
            return "\(list.owner.displayName) is still choosing their five favourite games."
        }
        return list.entries.map { "\($0.position). \($0.game.name)" }.joined(separator: ", ")
    }
}
