import HTTP
import HTTPTypes

// Long lists come in pages. A cursor says where the next one begins.
extension RequestContext {
    /// A cursor as clients carry it: opaque, and safe in a query.
    package func sealed(_ cursor: (some CursorCoding)?) async -> String? {
        guard let cursor else { return nil }
        return await services.cursorSeal.seal(cursor)
    }

    /// Tells clients of the API the addresses of a list's pages in a Link field, RFC 8288.
    ///
    /// - Parameters:
    ///   - next: Where the next page begins, if there is one.
    ///   - previous: Where the previous page ends, if there is one.
    package func linked(_ response: Response, next: String?, previous: String?) -> Response {
        let query = self.query.items.filter { $0.name != "cursor" }.map {
            "\(PercentCoding.encodeQueryValue($0.name))=\(PercentCoding.encodeQueryValue($0.value))"
        }.joined(separator: "&")
        // A path can't contain an angle bracket: the parser rejects those.
        let path = addresses.publicURL + request.target.path
        let first = query.isEmpty ? path : "\(path)?\(query)"
        var links: [String] = []
        for (relation, cursor) in [("next", next), ("prev", previous)] {
            guard let cursor else { continue }
            let separator = query.isEmpty ? "?" : "&"
            links.append("<\(first)\(separator)cursor=\(cursor)>; rel=\"\(relation)\"")
        }
        links.append("<\(first)>; rel=\"first\"")
        var response = response
        response.headerFields[.link] = links.joined(separator: ", ")
        return response
    }
}
