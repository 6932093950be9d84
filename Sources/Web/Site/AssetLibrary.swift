import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import JSON
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
    public init(of site: SiteIdentity, modifiedAt: Int?) {
        self.init(site.branded(Assets.files), of: site, modifiedAt: modifiedAt)
    }

    /// - Parameter files: The contents by file name. Each file must be of a kind that is served.
    init(
        _ files: [String: [UInt8]], of site: SiteIdentity = SiteIdentity(), modifiedAt: Int? = nil
    ) {
        self.site = site
        self.modifiedAt = modifiedAt
        var assets: [String: Asset] = [:]
        for (name, contents) in files {
            guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else {
                preconditionFailure("assets/\(name) is of a kind that is not served")
            }
            assets[name] = Asset(type, contents)
        }
        // Scripts and styles refer to other files as "./name". The versioned addresses replace these
        // names, so that browsers never request a cached file again, and pages can preload files.
        for (name, asset) in assets where [.javaScript, .css].contains(asset.type) {
            var text = String(decoding: asset.contents, as: UTF8.self)
            for (other, file) in assets {
                text.replace("\"./\(other)\"", with: "\"\(Self.path(other, file))\"")
            }
            assets[name] = Asset(asset.type, Array(text.utf8))
        }
        self.assets = assets
        ofPages = PageAssets { Self.path($0, assets[$0]) }
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
            throw Problem.notFound("Check the link, or search for a game.")
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
