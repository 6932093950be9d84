import Endpoints
package import FaveGames
import HTTP
import HTTPTypes
import JSON
package import Languages
import Views
import Work

/// The files that pages need. A file's address changes with its contents, so browsers may cache the
/// file for ever.
public struct AssetLibrary: Sendable {
    struct Asset: Sendable {
        let type: MediaType
        let contents: [UInt8]
        let tag: EntityTag
        /// The contents in gzip, compressed on first use; `nil` if that fails.
        let coded = MadeOnce<[UInt8]?>()

        init(_ type: MediaType, _ contents: [UInt8]) {
            self.type = type
            self.contents = contents
            tag = Response.entityTag(of: contents)
        }

        /// The part of the address that identifies the contents.
        var version: Substring { tag.opaque.prefix(12) }
    }

    let assets: [String: Asset]
    /// In seconds since 1970.
    private let modifiedAt: Int?
    /// The files that every page needs.
    let ofPages: PageAssets
    /// The HTML of the API's description, made on first use.
    let reference = MadeOnce<HTML>()
    private let document = MadeOnce<Asset>()

    private let site: SiteIdentity

    /// The files that are built into the program, with the site's name and colour.
    ///
    /// - Parameter modifiedAt: When the program's file was last modified, in seconds since 1970.
    package init(of site: SiteIdentity, in language: Language = .en, modifiedAt: Int?) {
        self.init(site.branded(Assets.files, in: language), of: site, modifiedAt: modifiedAt)
    }

    /// - Parameter files: The contents by file name. Each file must be of a kind that is served.
    init(
        _ files: [String: [UInt8]], of site: SiteIdentity = SiteIdentity(), modifiedAt: Int? = nil
    ) {
        self.site = site
        self.modifiedAt = modifiedAt
        var assets: [String: Asset] = [:]
        var rest = files
        for name in files.keys.sorted() { Self.add(name, from: &rest, to: &assets) }
        self.assets = assets
        ofPages = PageAssets { Self.path($0, assets[$0]) }
    }

    /// Adds a file, after those that it refers to: their versions are a part of its own.
    ///
    /// Scripts and styles refer to other files as "./name". The versioned addresses replace these
    /// names, so that browsers never request a cached file again, and pages can preload files.
    private static func add(
        _ name: String, from rest: inout [String: [UInt8]], to assets: inout [String: Asset]
    ) {
        guard let contents = rest.removeValue(forKey: name) else { return }
        guard let type = types[String(name.split(separator: ".").last ?? "")] else {
            preconditionFailure("assets/\(name) is of a kind that is not served")
        }
        guard [.javaScript, .css].contains(type) else {
            assets[name] = Asset(type, contents)
            return
        }
        // Bytes between quotation marks, since replacing each name in a String took half of a start.
        let quote = UInt8(ascii: "\"")
        var linked: [UInt8] = []
        linked.reserveCapacity(contents.count + 64)
        for text in contents.split(separator: quote, omittingEmptySubsequences: false) {
            let other =
                text.starts(with: "./".utf8)
                ? String(decoding: text.dropFirst(2), as: UTF8.self) : nil
            if let other { add(other, from: &rest, to: &assets) }
            if let other, let asset = assets[other] {
                linked += path(other, asset).utf8
            } else {
                linked += text
            }
            linked.append(quote)
        }
        linked.removeLast()
        assets[name] = Asset(type, linked)
    }

    private static let types: [String: MediaType] = [
        "css": .css, "svg": .svg, "js": .javaScript, "png": .png, "ico": .icon,
        "webmanifest": .webManifest, "json": .json, "woff2": .woff2, "txt": .text,
    ]

    /// The address of a file, with its version.
    func path(_ name: String) -> String { Self.path(name, assets[name]) }

    private static func path(_ name: String, _ asset: Asset?) -> String {
        "/assets/\(name)" + (asset.map { "?v=\($0.version)" } ?? "")
    }

    static let routes = [
        Route(
            .get, "/assets/{asset}", .file, takes: .asset, returns: .response, caching: .constant
        ) { context, name in try serve(name, to: context) },
        // The icon, at the address where browsers look by default.
        Route(.get, "/favicon.ico", .file, returns: .response, caching: .constant) { context in
            try serve("favicon.ico", to: context)
        },
    ]

    private static func serve(_ name: String, to context: RequestContext) throws -> Response {
        guard let asset = context.services.assets.assets[name] else {
            throw Problem.notFound(.checkLink)
        }
        return try context.services.assets.serve(asset, to: context)
    }

    func serve(_ asset: Asset, to context: RequestContext) throws -> Response {
        let isVersioned = context.query["v"].map { $0 == asset.version } ?? false
        var response = Response(
            headerFields: [
                .contentType: asset.type.description,
                .cacheControl: isVersioned ? Caching.immutableValue : "no-cache",
            ], body: asset.contents)
        if isVersioned { response.cacheability = .forEver }
        if let modifiedAt {
            response.headerFields[.lastModified] = HTTPDate.format(secondsSince1970: modifiedAt)
        }
        // A small size is worth more than speed here, since a file is compressed only once.
        return try response.conditional(
            for: context.request, gzip: context.services.gzip, tag: asset.tag,
            coded: asset.coded.value { Gzip(level: 9).compress(asset.contents) },
            lastModified: modifiedAt)
    }

    /// The API's description, made on first use.
    ///
    /// - Parameter publicURL: The site's address, which is always the same.
    func openAPIDocument(at publicURL: String) -> Asset {
        document.value {
            let document = OpenAPI.of(site, at: publicURL).document(Routes.all)
            return Asset(.json, Array(document.indented().utf8))
        }
    }
}

extension Input where Value == String {
    fileprivate static var asset: Self {
        .path("asset", "", .text(example: "site.css")) { $0 }
    }
}
