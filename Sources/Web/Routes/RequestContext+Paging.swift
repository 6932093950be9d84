import Endpoints
import FaveGames

extension RequestContext {
    /// Checks that a cursor belongs to a platform's ranking. With another platform's cursor, ranks
    /// would be wrong.
    ///
    /// - Throws: 400 if it does not.
    func check(_ cursor: RankingCursor?, of platformID: Int) throws(Problem) {
        guard let cursor, cursor.platformID != platformID else { return }
        throw Problem(
            .invalidCursor, "\"cursor\" belongs to another platform. Start again without it.")
    }
}
