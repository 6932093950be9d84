import FaveGames
import HTTP
import HTTPTypes
import JSON

// Lists that come in pages: a cursor says where the next one begins.
extension Call {
    /// Where the page begins that is asked for.
    ///
    /// - Throws: 400 if it is no cursor of ours.
    func cursor<Cursor: CursorCoding>(
        _ type: Cursor.Type = Cursor.self
    ) async throws -> Cursor? {
        guard let text = query["cursor"] else { return nil }
        guard let cursor: Cursor = await cursors.open(text) else {
            throw Problem(
                .invalidCursor,
                "\"cursor\" is not one that this server gave. Begin again without it.")
        }
        return cursor
    }

    /// Where the page of a platform's ranking begins that is asked for.
    ///
    /// - Throws: 400 if it is no cursor of ours, or of another platform: its ranks would be wrong.
    func rankingCursor(of platformID: Int) async throws -> RankingCursor? {
        let cursor = try await cursor(RankingCursor.self)
        guard cursor == nil || cursor?.platformID == platformID else {
            throw Problem(
                .invalidCursor,
                "\"cursor\" is one of another platform. Begin again without it.")
        }
        return cursor
    }

    /// Answers the API with a page of a list, and where the pages beside it are.
    ///
    /// - Parameter write: Writes the members that the page has of its own.
    func page<Cursor: CursorCoding>(
        next: Cursor?, previous: Cursor?, _ write: (inout JSONWriter) -> Void
    ) async -> Response {
        let next = await sealed(next)
        let previous = await sealed(previous)
        let response = Response.json { json in
            json.object { json in
                write(&json)
                json.member("nextCursor", next)
                json.member("previousCursor", previous)
            }
        }
        return linked(response, next: next, previous: previous)
    }

    /// A cursor as clients carry it: opaque, safe in a query.
    func sealed(_ cursor: (some CursorCoding)?) async -> String? {
        guard let cursor else { return nil }
        return await cursors.seal(cursor)
    }

    private var cursors: CursorSeal {
        get async { CursorSeal(await services.ownKeys.current()) }
    }

    /// Tells clients of the API where the pages of a list are, RFC 8288.
    ///
    /// - Parameters:
    ///   - next: Where the next page begins, if there is one.
    ///   - previous: Where the page before ends.
    private func linked(_ response: Response, next: String?, previous: String?) -> Response {
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
