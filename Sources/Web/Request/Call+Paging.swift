import FaveGames
import HTTP
import HTTPTypes

// Lists that come in pages: a cursor says where the next one begins.
extension Call {
    /// Checks that a cursor belongs to a platform's ranking: with another's, ranks would be wrong.
    ///
    /// - Throws: 400 if it does not.
    func check(_ cursor: RankingCursor?, of platformID: Int) throws(Problem) {
        guard let cursor, cursor.platformID != platformID else { return }
        throw Problem(
            .invalidCursor, "\"cursor\" belongs to another platform. Start again without it.")
    }

    /// A cursor as clients carry it: opaque, safe in a query.
    func sealed(_ cursor: (some CursorCoding)?) async -> String? {
        guard let cursor else { return nil }
        return await cursors.seal(cursor)
    }

    var cursors: CursorSeal {
        get async { CursorSeal(await services.ownKeys.current()) }
    }

    /// Tells clients of the API where the pages of a list are, RFC 8288.
    ///
    /// - Parameters:
    ///   - next: Where the next page begins, if there is one.
    ///   - previous: Where the page before ends.
    func linked(_ response: Response, next: String?, previous: String?) -> Response {
        let query = self.query.items.filter { $0.name != "cursor" }.map {
            "\(PercentCoding.encodeQueryValue($0.name))=\(PercentCoding.encodeQueryValue($0.value))"
        }.joined(separator: "&")
        // No path holds an angle bracket: the parser has seen to that.
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
        // Of a query that says much more than we read: proxies have small buffers for fields.
        if field.utf8.count <= Self.maximumLinkLength { response.headerFields[.link] = field }
        return response
    }

    private static let maximumLinkLength = 4096
}
