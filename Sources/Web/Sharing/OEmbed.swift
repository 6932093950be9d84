import FaveGames
import HTTP
import HTTPTypes
import JSON
import Storage
import Views

/// Tells other sites how to show a list, as <https://oembed.com> describes.
enum OEmbed {
    /// In seconds. The frame itself always shows the list as it is.
    private static let cacheAge = 3600
    private static let sizes = 1...10_000

    static func show(_ call: Call) async throws -> Response {
        let format = call.query["format"] ?? "json"
        guard ["json", "xml"].contains(format) else {
            throw Problem(.notImplemented, "There are the formats \"json\" and \"xml\".")
        }
        guard let address = call.query["url"] else {
            throw Problem.badRequest("Give \"url\", the address of a list.")
        }
        let maximumWidth = try call.query("maxwidth", in: sizes)
        let maximumHeight = try call.query("maxheight", in: sizes)
        let root = call.services.settings.publicURL
        guard let username = username(in: address, publicURL: root),
            let list = try await call.services.store.sharedList(username: username)
        else { throw Problem.notFound("There is no list at \"url\".") }
        let width = min(EmbedCode.width, maximumWidth ?? .max)
        let height = min(EmbedCode.height(of: list), maximumHeight ?? .max)
        let answer = Answer(
            list: list, root: root, width: width, height: height,
            html: EmbedCode(list, publicURL: root, width: width, height: height).html)
        let response = format == "xml" ? answer.xml : answer.json
        return try response.conditional(for: call)
            .noIndex(unless: list.owner.visibility == .public)
    }

    /// Where a list's page says that this is to be found.
    static func address(of list: FaveList, publicURL: String) -> String {
        let page = publicURL + Path.list(list.owner.username)
        return "\(publicURL)/oembed?url=\(PercentCoding.encodeQueryValue(page))&format=json"
    }

    /// Reads the address of a list as someone copied it, with whatever was hung on it.
    private static func username(in address: String, publicURL: String) -> Username? {
        guard
            let root = address.range(of: publicURL + "/", options: [.anchored, .caseInsensitive])
        else { return nil }
        let path = address[root.upperBound...].prefix { $0 != "#" }
        guard let segments = try? RequestTarget(parsing: "/" + path).segments,
            segments.count == 1, segments[0].hasPrefix("@")
        else { return nil }
        return Username(String(segments[0].dropFirst()))
    }

    private struct Answer {
        let list: FaveList
        let root: String
        let width: Int
        let height: Int
        let html: String

        private var texts: KeyValuePairs<StaticString, String> {
            [
                "type": "rich", "version": "1.0",
                "title": "Favourite games of \(list.owner.displayName)",
                "author_name": list.owner.displayName,
                "author_url": root + Path.list(list.owner.username),
                "provider_name": "Fave Games", "provider_url": root + "/", "html": html,
            ]
        }

        private var numbers: KeyValuePairs<StaticString, Int> {
            ["cache_age": cacheAge, "width": width, "height": height]
        }

        var json: Response {
            Response.json { json in
                json.object { json in
                    for (name, text) in texts { json.member(name, text) }
                    for (name, number) in numbers { json.member(name, number) }
                }
            }
        }

        var xml: Response {
            var xml = XMLWriter()
            xml.element("oembed") { xml in
                for (name, text) in texts { xml.element(name, text: text) }
                for (name, number) in numbers { xml.element(name, text: String(number)) }
            }
            return Response.file(.textXML, xml.bytes)
        }
    }
}

extension Store {
    /// A list as everybody may see it who has the link, under its owner's name or a former one.
    fileprivate func sharedList(username: Username) async throws -> FaveList? {
        if let list = try await list(username: username.description, seenBy: nil) { return list }
        guard let successor = try await successor(ofUsername: username.description) else {
            return nil
        }
        return try await list(username: successor, seenBy: nil)
    }
}
