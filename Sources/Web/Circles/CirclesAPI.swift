import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Storage

/// Circles and their rankings.
enum CirclesAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/circles",
            .api("listMyCircles", .circles, "List the user's circles", "By name."),
            takes: .user(.read),
            returns: .array(
                "circles", of: V1.ownCircle, "The circles.", atMost: Circle.joinedLimit,
                "The circles that the user is in.")
        ) { context, user in try await context.services.store.circles(of: user.id) },

        Route(
            .post, "/api/v1/circles",
            .api(
                "makeCircle", .circles, "Make a circle",
                "The user owns it, and is its first member. One can own at most "
                    + "\(Circle.ownedLimit) circles, and be in at most \(Circle.joinedLimit)."),
            takes: .user(.account), .json(NewCircle.self),
            returns: .created(V1.circle, "The new circle.") {
                $0.circle.id.text
            },
            fails: [.conflict, .unprocessableContent], handler: make),

        Route(
            .get, "/api/v1/circles/{circle}",
            .api(
                "getCircle", .circles, "Get a circle",
                "Anyone can get a public circle, and only members get others."),
            takes: .circle, .viewer,
            returns: .json(V1.circle, "The circle.", isIndexed: isIndexed)
        ) { context, id, viewer in try await context.circle(id, seenBy: viewer) },

        Route(
            .patch, "/api/v1/circles/{circle}",
            .api("changeCircle", .circles, "Change a circle", "For its owner."),
            takes: .user(.account), .circle, .json(Changes.self), returns: .changed(V1.circle),
            fails: [.unprocessableContent], handler: change),

        Route(
            .delete, "/api/v1/circles/{circle}",
            .api("deleteCircle", .circles, "Delete a circle", "For its owner."),
            takes: .user(.account), .circle, returns: .noContent
        ) { context, user, id in try await context.circles.delete(id, by: user) },

        Route(
            .get, "/api/v1/circles/{circle}/rankings",
            .api(
                "getCircleRankings", .circles, "Rank the games of a circle, by platform",
                "By the members' public lists: others aren't counted. The platforms with the most "
                    + "picks come first. There is no ranking of all platforms together."),
            takes: .circle, .viewer,
            .integer(
                "from", in: 1...500, default: 1, "The place of the first platform.", example: 1),
            .limit(1...20, default: 6),
            .integer(
                "games", in: 1...20, default: 5, "The maximum number of games for each platform.",
                example: 5),
            returns: .array(
                "rankings", of: V1.circleRanking, "One for each platform.", atMost: 20,
                "The rankings.")
        ) { context, id, viewer, first, limit, games in
            try await context.services.store.rankings(
                of: context.circle(id, seenBy: viewer), platforms: first...(first + limit - 1),
                games: 1...games)
        },

        Route(
            .get, "/api/v1/circles/{circle}/platforms/{platform}/ranking",
            .api(
                "getCircleRanking", .circles, "Rank the games of a circle on one platform",
                "By the members' public lists: others aren't counted."),
            takes: .circle, .viewer, .platform,
            .integer("from", in: 1...500, default: 1, "The place of the first game.", example: 1),
            .limit(1...100, default: 20),
            returns: .json(V1.circleRanking, "The ranking."),
            handler: ranking),

        Route(
            .get, "/api/v1/circles/{circle}/common-games",
            .api(
                "listCommonGames", .circles, "List the games that members have in common",
                "Those that at least two members' public lists have, on whatever platforms: first "
                    + "those on the most lists, and then by name."),
            takes: .circle, .viewer,
            returns: .array(
                "games", of: V1.commonGame, "The games.", atMost: 250, "The games in common.")
        ) { context, id, viewer in
            try await context.services.store.commonGames(of: context.circle(id, seenBy: viewer))
        },
    ]

    @Sendable private static func isIndexed(_ view: CircleView) -> Bool {
        view.circle.visibility == .public
    }

    @Sendable private static func make(
        _ context: RequestContext, user: User, new: NewCircle
    ) async throws -> CircleView {
        let id = try await context.circles.make(
            by: user, name: new.name, description: new.description, visibility: new.visibility)
        return try await context.circle(id, seenBy: user.id)
    }

    @Sendable private static func change(
        _ context: RequestContext, user: User, id: UUID, changes: Changes
    ) async throws -> CircleView {
        let own = try await context.circle(id, seenBy: user.id)
        guard own.role == .owner else { throw CircleError.notFound }
        try await context.circles.change(
            own.circle, by: user, name: changes.name, description: changes.description,
            visibility: changes.visibility)
        return try await context.circle(id, seenBy: user.id)
    }

    @Sendable private static func ranking(
        _ context: RequestContext, id: UUID, viewer: TokenViewer, platform: Platform, first: Int,
        limit: Int
    ) async throws -> CircleRanking {
        let rankings = try await context.services.store.rankings(
            of: context.circle(id, seenBy: viewer), on: platform.id,
            games: first...(first + limit - 1))
        return rankings.first ?? CircleRanking(platform: platform, gameCount: 0, games: [])
    }

    struct NewCircle: RequestBody {
        let name: CircleName
        let description: CircleDescription
        let visibility: CircleVisibility

        init?(from reader: inout JSONObjectReader) {
            let name = reader.required("name", .circleName, "The name.")
            let description = reader.optional(
                "description", .circleDescription, "What it is about; nothing if omitted.")
            let visibility = reader.optional(
                "visibility", .circleVisibility, V1.circleVisibilityText)
            guard let name else { return nil }
            self.name = name
            self.description = description ?? .empty
            self.visibility = visibility ?? .members
        }
    }

    struct Changes: RequestBody {
        let name: CircleName?
        let description: CircleDescription?
        let visibility: CircleVisibility?

        init?(from reader: inout JSONObjectReader) {
            name = reader.optional("name", .circleName, "The new name.")
            description = reader.optional(
                "description", .circleDescription, "The new description.")
            visibility = reader.optional(
                "visibility", .circleVisibility, V1.circleVisibilityText)
            reader.ignore("id", "slug", "createdAt", "role", "memberCount", "url")
        }
    }
}

extension RequestContext {
    /// A circle as the user of a token sees it, if there is one.
    ///
    /// - Throws: 404 if they may not see it.
    func circle(_ id: UUID, seenBy viewer: TokenViewer) async throws -> CircleView {
        try await circle(id, seenBy: viewer.id())
    }

    /// - Throws: 404 if there is no such circle, or the viewer may not see it.
    func circle(_ id: UUID, seenBy viewer: UUID?) async throws -> CircleView {
        guard let view = try await services.store.circle(id: id, seenBy: viewer) else {
            throw CircleError.notFound
        }
        return view
    }
}
