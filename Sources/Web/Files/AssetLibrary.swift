import HTTP
import HTTPTypes
import Views

/// The files that pages need, served under addresses that change with their contents, so that
/// browsers may keep them for ever.
public struct AssetLibrary: Sendable {
    private struct Asset: Sendable {
        let type: MediaType
        let contents: [UInt8]
        let tag: EntityTag
        /// In gzip, if it shrinks.
        let coded = MadeOnce<[UInt8]?>()

        /// What its address says of its contents.
        var version: Substring { tag.opaque.prefix(12) }
    }

    private let assets: [String: Asset]
    /// In seconds since 1970.
    private let modifiedAt: Int?
    /// The files that every page needs.
    let ofPages: PageAssets
    /// The API's description as a page shows it.
    let reference = MadeOnce<HTML>()

    /// The files that are in the program.
    ///
    /// - Parameter modifiedAt: When the program was written, in seconds since 1970.
    public init(modifiedAt: Int?) {
        self.init(Assets.files, modifiedAt: modifiedAt)
    }

    /// - Parameter files: By their names, each of a kind that is served.
    init(_ files: [String: [UInt8]], modifiedAt: Int? = nil) {
        self.modifiedAt = modifiedAt
        var assets: [String: Asset] = [:]
        for (name, contents) in files {
            guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else {
                preconditionFailure("assets/\(name) is of a kind that is not served")
            }
            assets[name] = Asset(
                type: type, contents: contents, tag: Response.entityTag(of: contents))
        }
        self.assets = assets
        ofPages = PageAssets { Self.path($0, assets[$0]) }
    }

    private static let types: [String: MediaType] = [
        "css": .css, "svg": .svg, "js": .javaScript, "png": .png, "ico": .icon,
        "webmanifest": .webManifest, "json": .json,
    ]

    /// The address of a file, with its version.
    func path(_ name: String) -> String { Self.path(name, assets[name]) }

    private static func path(_ name: String, _ asset: Asset?) -> String {
        "/assets/\(name)" + (asset.map { "?v=\($0.version)" } ?? "")
    }

    @Sendable
    static func serve(_ call: Call) throws -> Response {
        try serve(call.path(.asset), to: call)
    }

    /// The icon at the place where browsers look without being told.
    @Sendable
    static func serveIcon(_ call: Call) throws -> Response {
        try serve("favicon.ico", to: call)
    }

    /// The bytes of a file.
    func contents(_ name: String) -> [UInt8]? { assets[name]?.contents }

    static func serve(_ name: String, to call: Call) throws -> Response {
        guard let asset = call.services.assets.assets[name] else {
            throw Problem.notFound("There is nothing at this address.")
        }
        let isVersioned = call.query["v"].map { $0 == asset.version } ?? false
        var response = Response(
            headerFields: [
                .contentType: asset.type.description,
                .cacheControl: isVersioned
                    ? "public, max-age=31536000, immutable" : "no-cache",
            ], body: asset.contents)
        let modifiedAt = call.services.assets.modifiedAt
        if let modifiedAt {
            response.headerFields[.lastModified] = HTTPDate.format(secondsSince1970: modifiedAt)
        }
        // Small is worth more than quick here: it is coded once.
        return try response.conditional(
            for: call.request, gzip: call.services.gzip, tag: asset.tag,
            coded: asset.coded.value { Gzip(level: 9).compress(asset.contents) },
            lastModified: modifiedAt)
    }
}
