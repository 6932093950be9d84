import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The addresses of everything that everyone may see, for search engines:
/// <https://www.sitemaps.org>.
///
/// `/sitemap.xml` names the parts. Each part costs the same, however many lists and games there
/// are. All parts are at the root, since a sitemap may only name addresses below its own.
enum Sitemap {
    enum Part: Equatable {
        /// The pages that always exist, and the rankings.
        case pages
        case lists(Int)
        case games(Int)

        var name: String {
            switch self {
            case .pages: "pages"
            case .lists(let number): "lists-\(number)"
            case .games(let number): "games-\(number)"
            }
        }

        init?(_ name: String) {
            guard name != "pages" else {
                self = .pages
                return
            }
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(decimal: parts[1], digits: 1...6) else {
                return nil
            }
            switch parts[0] {
            case "lists": self = .lists(number)
            case "games": self = .games(number)
            default: return nil
            }
        }
    }

    static let routes = [
        Route(
            .get, "/sitemap.xml", .file, takes: .text("part"), returns: .response,
            caching: .everywhere(seconds: 3600), costs: .dear, handler: show)
    ]

    @Sendable private static func show(_ context: RequestContext, name: String?) async throws
        -> Response
    {
        guard let name else { return try await index(context) }
        guard let part = Part(name) else { throw noSuchPart }
        let store = context.services.store
        switch part {
        case .pages:
            let rankings = try await store.platformTops(games: 1)
            return try urlSet(
                context,
                (Routes.all.filter { $0.crawling == .listed }.map(\.pattern)
                    + context.services.settings.site.pages.map(\.href)
                    + rankings.map { Path.platform($0.platform) }).map { ($0, nil) })
        case .lists(let number):
            let lists = try await store.publicLists(sitemapPart: number)
            return try urlSet(context, lists.map { (Path.list($0.username), $0.updatedAt) })
        case .games(let number):
            let games = try await store.includedGames(sitemapPart: number)
            return try urlSet(context, games.map { (Path.game($0), nil) })
        }
    }

    private static var noSuchPart: Problem {
        .notFound(.english("There is no such part of the sitemap."))
    }

    private static func index(_ context: RequestContext) async throws -> Response {
        let found = try await context.services.store.sitemapParts()
        let parts: [Part] =
            [.pages] + found.lists.map { .lists($0) } + found.games.map { .games($0) }
        return try xml(context, "sitemapindex") { xml in
            for part in parts {
                xml.element("sitemap") { xml in
                    xml.element(
                        "loc",
                        text: "\(context.services.settings.publicURL)/sitemap.xml?part=\(part.name)"
                    )
                }
            }
        }
    }

    private static func urlSet(
        _ context: RequestContext, _ addresses: [(path: String, modified: Date?)]
    ) throws -> Response {
        guard !addresses.isEmpty else { throw noSuchPart }
        return try xml(context, "urlset") { xml in
            for (path, modified) in addresses {
                xml.element("url") { xml in
                    xml.element("loc", text: context.services.settings.publicURL + path)
                    if let modified { xml.element("lastmod", text: modified.rfc3339) }
                }
            }
        }
    }

    private static func xml(
        _ context: RequestContext, _ root: StaticString, _ content: (inout XMLWriter) -> Void
    ) throws -> Response {
        var xml = XMLWriter(reserving: 65_536)
        xml.element(root, ["xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9"], content)
        return Response.file(.xml, xml.bytes)
    }
}
