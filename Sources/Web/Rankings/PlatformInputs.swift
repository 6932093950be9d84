import Endpoints
import FaveGames
import Languages
import Storage
import Views

extension Input where Value == PlatformReference {
    static var platformReference: Self {
        .path(
            "platform", "The platform's id (IGDB's number) or its slug.",
            .text(0...64, pattern: "^[a-z0-9-]{1,64}$", example: "win")
        ) { PlatformReference($0) }
    }
}

extension Input<Services, Platform> {
    /// The platform in the path. 404 if there is none.
    static var platform: Self {
        let reference = Input<Services, PlatformReference>.platformReference
        return Self(reference.description) { try await $0.platform(reference.read($0)) }
    }
}

extension RequestContext {
    /// - Throws: 404 if there is no such platform.
    func platform(_ reference: PlatformReference) async throws -> Platform {
        guard let platform = try await services.store.platform(reference) else {
            throw Problem.notFound(.noSuchPlatform)
        }
        return platform
    }

    /// Checks that a cursor belongs to a platform's ranking. With another platform's cursor, ranks
    /// would be wrong.
    ///
    /// - Throws: 400 if it does not.
    func check(_ cursor: RankingCursor?, of platformID: Int) throws(Problem) {
        guard let cursor, cursor.platformID != platformID else { return }
        throw Problem(
            .invalidCursor,
            .english("\"cursor\" belongs to another platform. Start again without it."))
    }
}
