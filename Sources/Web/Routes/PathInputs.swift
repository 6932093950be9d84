import Endpoints
import FaveGames
import Foundation
import GameSearch
import HTTP
import JSON
import Storage

extension Input where Value == PlatformReference {
    static var platformReference: Self {
        .path(
            "platform", "The platform's id (IGDB's number) or its slug.",
            .text(0...64, pattern: "^[a-z0-9-]{1,64}$", example: "win")
        ) { PlatformReference($0) }
    }
}

extension Input where Value == Int {
    static var gameID: Self {
        .path("game", "The game's id, IGDB's number.", .igdbGame) { GameID.parse($0) }
    }
}

extension Input<Services, Username> {
    /// An id leads to the same address with the username, if the user's list is public.
    static var username: Self {
        let byName = path(
            "username", noun: "user",
            "The username; capitals and an @ before it don't matter. A former one redirects with a 307, and "
                + "so does the user's id, which never changes, when something is read.",
            .newUsername
        ) { Username($0) }
        return Self(byName.description) { context in
            if context.request.method.isRead, let text = context.parameters["username"],
                let id = UUID(uuidString: text),
                let user = try await context.services.store.publicUser(id: id)
            {
                let target = context.request.target
                // The path has percent-encoding, and the parameter doesn't.
                let path = target.path.replacing(text, with: user.username, maxReplacements: 1)
                if path != target.path {
                    throw Moved(path: path + (target.query.map { "?\($0)" } ?? ""))
                }
            }
            return try await byName.read(context)
        }
    }
}

extension Input where Value == SnapshotSlug {
    static var snapshotSlug: Self {
        .path(
            "snapshot", noun: "snapshot",
            "The end of the snapshot's address: its year, with a number for all but the first.",
            V1.snapshotSlug
        ) { SnapshotSlug($0) }
    }
}

extension Input where Value == Int {
    static var caseID: Self {
        .path("case", "The case's number.", .integer(1..., example: 7)) {
            parseNumber($0)
        }
    }

    static var actionID: Self {
        .path("action", "The action's number.", .integer(1..., example: 12)) {
            parseNumber($0)
        }
    }

    @Sendable private static func parseNumber(_ text: String) -> Int? {
        guard text.utf8.count <= 18, let number = Int(text), number > 0, String(number) == text
        else { return nil }
        return number
    }
}

extension Input where Value == UUID {
    static var session: Self {
        .id("session", "The session's id.", example: Example.user)
    }

    static var token: Self {
        .id("id", noun: "token", "The token's id.", example: Example.user)
    }

    static var passkey: Self {
        .id("passkey", "The passkey's id.", example: Example.user)
    }

    static var invitation: Self {
        .id("invitation", "The invitation's id.", example: Example.user)
    }

    static var circle: Self {
        .id("circle", "The circle's id.", example: Example.circle)
    }

    static var circleMember: Self {
        .id("member", "The membership's id.", example: Example.member)
    }

    static var entryID: Self { entryID("entry") }

    /// - Parameter name: The parameter's name in the pattern.
    static func entryID(_ name: String) -> Self {
        .id(name, noun: "entry", "The entry's id.", example: Example.entry)
    }
}

// MARK: - What the path refers to

extension Input<Services, Platform> {
    /// The platform in the path. 404 if there is none.
    static var platform: Self {
        let reference = Input<Services, PlatformReference>.platformReference
        return Self(reference.description) { try await $0.platform(reference.read($0)) }
    }
}

extension Input<Services, CircleView> {
    /// The circle of a page, as the visitor sees it. The API refers to circles by their ids. 404 if
    /// there is no such circle, or the visitor may not see it.
    static var visibleCircle: Self { circle { _ in true } }

    /// A circle of the visitor's own. 404 for everyone else.
    static var ownCircle: Self { circle { $0.role == .owner } }

    /// A public circle as everyone sees it, even if a member asks. 404 for others.
    static var publicCircle: Self { circle(seenBy: { _ in nil }) { _ in true } }

    private static func circle(
        seenBy viewer: @escaping @Sendable (RequestContext) -> UUID? = { $0.visitor?.user.id },
        _ isWanted: @escaping @Sendable (CircleView) -> Bool
    ) -> Self {
        let slug = Input<Services, CircleSlug>.path(
            "circle", "The end of the circle's address.", V1.circleSlug
        ) { CircleSlug($0) }
        return Self(slug.description) { context in
            let view = try await context.services.store.circle(
                slug: slug.read(context), seenBy: viewer(context))
            guard let view, isWanted(view) else { throw CircleError.notFound }
            return view
        }
    }
}

extension Input<Services, FoundGame> {
    /// The game in the path. A game that we do not know is looked up at IGDB. 404 if there is none.
    static var game: Self {
        let id = Input<Services, Int>.gameID
        return Self(id.description) { context in
            guard let game = try await context.services.games.game(id.read(context)) else {
                throw Problem.notFound("There is no such game here.")
            }
            return game
        }
    }
}

extension RequestContext {
    /// - Throws: 404 if there is no such platform.
    func platform(_ reference: PlatformReference) async throws -> Platform {
        guard let platform = try await services.store.platform(reference) else {
            throw Problem.notFound("There is no such platform.")
        }
        return platform
    }
}
