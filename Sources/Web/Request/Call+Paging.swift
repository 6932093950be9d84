import Endpoints
import FaveGames
import HTTP
import HTTPTypes

// Long lists come in pages. A cursor says where the next one begins.
extension Call {
    /// Checks that a cursor belongs to a platform's ranking. With another platform's cursor, ranks
    /// would be wrong.
    ///
    /// - Throws: 400 if it does not.
    func check(_ cursor: RankingCursor?, of platformID: Int) throws(Problem) {
        guard let cursor, cursor.platformID != platformID else { return }
        throw Problem(
            .invalidCursor, "\"cursor\" belongs to another platform. Start again without it.")
    }

    /// A cursor as clients carry it: opaque, and safe in a query.
    func sealed(_ cursor: (some CursorCoding)?) async -> String? {
        guard let cursor else { return nil }
        return await cursors.seal(cursor)
    }

    var cursors: CursorSeal {
        get async { CursorSeal(await services.ownKeys.current()) }
    }

    /// Tells clients of the API the addresses of a list's pages in a Link field, RFC 8288.
    ///
    /// - Parameters:
    ///   - next: Where the next page begins, if there is one.
    ///   - previous: Where the previous page ends, if there is one.
    func linked(_ response: Response, next: String?, previous: String?) -> Response {
        let query = self.query.items.filter { $0.name != "cursor" }.map {
            "\(PercentCoding.encodeQueryValue($0.name))=\(PercentCoding.encodeQueryValue($0.value))"
        }.joined(separator: "&")
        // A path can't contain an angle bracket: the parser rejects those.
        let path = services.settings.publicURL + request.target.path
        let first = query.isEmpty ? path : "\(path)?\(query)"
        var links: [String] = []
        for (relation, cursor) in [("next", next), ("prev", previous)] {
            guard let cursor else { continue }
            let separator = query.isEmpty ? "?" : "&"
            links.append("<\(first)\(separator)cursor=\(cursor)>; rel=\"\(relation)\"")
        }
        links.append("<\(first)>; rel=\"first\"")
        let field = links.joined(separator: ", ")
        var response = response
        // A query with much more than we read gets no Link: proxies have small buffers for fields.
        if field.utf8.count <= Self.maximumLinkLength { response.headerFields[.link] = field }
        return response
    }

    private static let maximumLinkLength = 4096
}
