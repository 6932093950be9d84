import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// Atom feeds of lists and rankings, with the same content as their pages.
enum Feeds {
    private static let rankingLength = 20

    static let routes = [
        Route(
            .get, "/@{username}/feed", .document, takes: .username, returns: .response,
            handler: list),
        Route(
            .get, "/platforms/{platform}/feed", .document, takes: .platform, returns: .response,
            handler: ranking),
    ]

    @Sendable private static func list(
        _ context: RequestContext, username: Username
    ) async throws -> Response {
        guard let list = try await context.list(of: username) else {
            throw try await context.moved(from: username, Path.listFeed)
        }
        let owner = list.owner
        let path = Path.listFeed(owner.username)
        if context.request.target.path != path { return .redirect(to: path) }
        let page = context.services.settings.publicURL + Path.list(owner.username)
        let language = context.services.settings.language(of: owner)
        let feed = AtomFeed(
            id: AtomFeed.id(owner.id), title: owner.listTitle.string(in: language),
            language: language,
            address: context.services.settings.publicURL + path, page: page,
            author: owner.displayName, authorAddress: page,
            updated: owner.listUpdatedAt ?? owner.createdAt,
            entries: list.entries.map { entry in
                AtomFeed.Entry(
                    id: AtomFeed.id(entry.id),
                    title: "\(entry.position). \(entry.game.name.string(in: language)) "
                        + "(\(entry.platform.name))",
                    link: "\(page)#\(entry.position)", updated: entry.updatedAt,
                    published: entry.createdAt,
                    content: entry.comment.isEmpty ? nil : entry.comment)
            })
        return try feed.response(to: context).noIndex(unless: owner.isPublic)
    }

    @Sendable private static func ranking(
        _ context: RequestContext, platform: Platform
    ) async throws -> Response {
        let services = context.services
        let path = Path.rankingFeed(platform)
        if context.request.target.path != path { return .redirect(to: path) }
        let games = try await services.store.ranking(
            platform: platform.id, limit: rankingLength, quotes: 0
        ).games
        let times = try await services.store.latestInclusions(
            platform: platform.id, games: games.map(\.game.id))
        let settings = services.settings
        let root = settings.publicURL
        let entries = games.map { ranked in
            AtomFeed.Entry(
                id: AtomFeed.id(
                    "platforms/\(platform.id)/games/\(ranked.game.id)", of: settings),
                title: "\(ranked.rank). \(ranked.game.name.string(in: settings.languages.site))",
                link: root + Path.platformGame(platform, ranked.game.id),
                updated: times[ranked.game.id] ?? beginning,
                content: Words.onLists(ranked.includedBy).string(in: settings.languages.site)
            )
        }
        let feed = AtomFeed(
            id: AtomFeed.id("platforms/\(platform.id)", of: settings),
            title: Words.mostLovedGames(on: platform.name).string(in: settings.languages.site),
            language: settings.languages.site, address: root + path,
            page: root + Path.platform(platform), author: settings.site.name,
            authorAddress: root + "/",
            updated: entries.map(\.updated).max() ?? beginning, entries: entries)
        return try feed.response(to: context)
    }

    /// The date of a game that is on no public list, and of an empty feed: Atom requires a date,
    /// and it must not change.
    private static let beginning = Date(timeIntervalSince1970: 0)
}
