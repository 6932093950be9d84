import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The private Atom feed of what the people do whom someone follows. Its address has a secret in the
/// query, which no log has.
enum FollowFeed {
    private static let length = 50

    static let routes = [
        Route(
            .get, Path.followFeed, .document, takes: .text("key"), returns: .response,
            caching: .never, costs: .dear, crawling: .disallowed, handler: show)
    ]

    @Sendable private static func show(_ context: RequestContext, key: String?) async throws
        -> Response
    {
        let store = context.services.store
        guard let secret = key.flatMap(SecretToken.init),
            let owner = try await store.followFeedOwner(tokenHash: secret.hash)
        else {
            throw Problem.notFound(.noSuchFeed)
        }
        let found = try await store.changes(followedBy: owner.id, limit: length)
        let settings = context.services.settings
        let root = settings.publicURL
        let language = settings.language(of: owner)
        let entries = found.entries.map { found in
            let inclusion = found.inclusion
            return AtomFeed.Entry(
                id: AtomFeed.id(inclusion.id),
                title: "\(inclusion.displayName): \(found.game.name.string(in: language)) "
                    + "(\(inclusion.platform.name))",
                link: root + Path.place(inclusion.username, inclusion.position),
                updated: inclusion.updatedAt, published: inclusion.createdAt,
                content: inclusion.comment.isEmpty ? nil : inclusion.comment)
        }
        let feed = AtomFeed(
            id: AtomFeed.id(
                "following/\(owner.id.text)", of: settings),
            title: Words.peopleFollowed(by: owner.displayName, settings.site.name).string(
                in: language),
            language: language,
            address: root + Path.followFeed + "?key=" + secret.text, page: root + Path.following,
            author: settings.site.name, authorAddress: root + "/",
            updated: entries.map(\.updated).max() ?? owner.createdAt, entries: entries)
        return try feed.response(to: context).noIndex(unless: false)
    }
}
