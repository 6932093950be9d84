import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import JSON
import Languages
import Storage
import Views

/// Tells other sites how to show a list, as <https://oembed.com> describes.
enum OEmbed {
    /// In seconds. The frame itself always shows the current list.
    private static let cacheAge = 3600

    static let routes = [
        Route(
            .get, "/oembed",
            .service(
                .document, "getOEmbed", "Get the embed code of a list",
                "[oEmbed](https://oembed.com) 1.0."),
            takes: .format, .listAddress,
            .size("maxwidth", "The maximum width of the frame, in CSS pixels.", example: 400),
            .size("maxheight", "The maximum height of the frame, in CSS pixels.", example: 300),
            returns: .response(
                ResponseDescription(
                    status: .ok, text: "The embed code.", fields: [.eTag, .xRobotsTag],
                    contents: [.init(type: "application/json", schema: Embed.type.schema)])),
            fails: [.notFound], handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, format: Void, address: String, maximumWidth: Int?,
        maximumHeight: Int?
    ) async throws -> Response {
        let settings = context.services.settings
        let root = settings.publicURL
        guard let username = username(in: address, publicURL: root),
            let list = try await context.services.store.sharedList(username: username)
        else { throw Problem.notFound(.english("There is no list at \"url\".")) }
        let width = min(EmbedCode.width, maximumWidth ?? .max)
        let height = min(EmbedCode.height(of: list), maximumHeight ?? .max)
        let embed = Embed(
            list: list, title: list.owner.listTitle.string(in: settings.language(of: list.owner)),
            site: settings.site.name, root: root, width: width,
            height: height,
            html: EmbedCode(list, for: settings, width: width, height: height).html)
        return Response.json(embed, Embed.type, for: context.addresses).noIndex(
            unless: list.owner.isPublic)
    }

    /// The address of a list's oEmbed document, for the list's page.
    static func address(of list: FaveList, publicURL: String) -> String {
        let page = publicURL + Path.list(list.owner.username)
        return "\(publicURL)/oembed?url=\(PercentCoding.encodeQueryValue(page))&format=json"
    }

    /// Reads the address of a list as someone copied it. As on the site, neither a slash at the end nor
    /// a query or a fragment matters, and the site's other scheme leads to the same list.
    private static func username(in address: String, publicURL: String) -> Username? {
        let page = address.prefix { $0 != "?" && $0 != "#" }
        guard let target = try? RequestTarget(parsing: String(page)),
            let host = host(in: String(page)), host == self.host(in: publicURL)
        else { return nil }
        let segments =
            target.segments.last == "" ? target.segments.dropLast() : target.segments[...]
        guard segments.count == 1, let name = segments.first, name.hasPrefix("@") else {
            return nil
        }
        return Username(String(name.dropFirst()))
    }

    /// The host with its port, unless that is the scheme's own, in lower case.
    private static func host(in address: String) -> String? {
        let address = address.lowercased()
        guard let authority = (try? RequestTarget(parsing: address))?.authority else { return nil }
        let port = address.hasPrefix("https:") ? ":443" : ":80"
        return authority.hasSuffix(port) ? String(authority.dropLast(port.count)) : authority
    }

    private struct Embed: Sendable {
        let list: FaveList
        let title: String
        let site: String
        let root: String
        let width: Int
        let height: Int
        let html: String

        static let type = ObjectRepresentation<Embed>(
            "OEmbed", "The embed code of a list, oEmbed 1.0.",
            [
                .init("type", .constant("rich"), "The kind of embed.") { _ in "rich" },
                .init("version", .constant("1.0"), "The version of oEmbed.") { _ in "1.0" },
                .init("title", .text(example: "Rob’s favourite games"), "The frame's title.") {
                    $0.title
                },
                .init("author_name", .text(example: "Rob"), "The list's owner.") {
                    $0.list.owner.displayName
                },
                .init(
                    "author_url", .text(format: "uri", example: "\(Example.site)/@rob"),
                    "The owner's page."
                ) { $0.root + Path.list($0.list.owner.username) },
                .init("provider_name", .text(example: Example.siteName), "The site's name.") {
                    $0.site
                },
                .init(
                    "provider_url", .text(format: "uri", example: "\(Example.site)/"),
                    "The site's address."
                ) { $0.root + "/" },
                .init(
                    "html",
                    .text(
                        example:
                            "<iframe src=\"\(Example.site)/@rob/embed\" width=\"400\"></iframe>"),
                    "The <iframe> to embed."
                ) { $0.html },
                .init(
                    "cache_age", .integer(0..., example: cacheAge),
                    "How long this may be cached, in seconds."
                ) { _ in cacheAge },
                .init(
                    "width", .integer(1..., example: 400), "The frame's width, in CSS pixels."
                ) { $0.width },
                .init(
                    "height", .integer(1..., example: 300), "The frame's height, in CSS pixels."
                ) { $0.height },
            ])
    }
}

extension Input where Value == String {
    fileprivate static var listAddress: Self {
        .query(
            "url", "The address of a list's page on this site.",
            .text(1...2048, example: "\(Example.site)/@rob"), isRequired: true
        ) { text throws(Problem) in
            guard let text else {
                throw .invalidParameter("url", "Give \"url\", the address of a list.")
            }
            return text
        }
    }
}

extension Input where Value == Void {
    /// The specification wants 501 for a format that a provider doesn't have.
    fileprivate static var format: Self {
        var schema = Schema.values(["json"])
        schema.keywords["default"] = "json"
        return .query(
            "format", "json; there is no other.", schema, problems: [.notImplemented]
        ) { text throws(Problem) in
            guard text == nil || text == "json" else {
                throw Problem(.notImplemented, .english("\"format\" must be \"json\"."))
            }
        }
    }
}

extension Input where Value == Int? {
    fileprivate static func size(_ name: String, _ text: String, example: Int) -> Self {
        .integer(name, in: 1...10_000, text, example: example)
    }
}

extension Store {
    /// A list as anyone with the link may see it, under its owner's current name or a former one.
    fileprivate func sharedList(username: Username) async throws -> FaveList? {
        if let list = try await list(username: username.description, seenBy: nil) { return list }
        guard let successor = try await successor(ofUsername: username.description) else {
            return nil
        }
        return try await list(username: successor, seenBy: nil)
    }
}
