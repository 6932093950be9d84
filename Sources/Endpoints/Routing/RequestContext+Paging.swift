package import HTTP
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
        // A path can't contain an angle bracket: the parser rejects those.
        var first = addresses.publicURL + request.target.path
        var separator = "?"
        for item in query.items where item.name != "cursor" {
            first += separator
            first += PercentCoding.encodeQueryValue(item.name)
            first += "="
            first += PercentCoding.encodeQueryValue(item.value)
            separator = "&"
        }
        var links = ""
        for (relation, cursor) in [("next", next), ("prev", previous)] {
            guard let cursor else { continue }
            links += "<\(first)\(separator)cursor=\(cursor)>; rel=\"\(relation)\", "
        }
        links += "<\(first)>; rel=\"first\""
        var response = response
        response.headerFields[.link] = links
        return response
    }
}
