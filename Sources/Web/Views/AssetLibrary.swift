import Crypto
import Foundation
import HTTP
import HTTPTypes

/// The files of `Views/assets`, kept in memory and served under addresses that change with their
/// contents, so that browsers may keep them for ever.
public struct AssetLibrary: Sendable {
    private struct Asset: Sendable {
        let type: MediaType
        let contents: [UInt8]
        /// In gzip, if it shrinks.
        let coded: [UInt8]?
        let version: String
        /// In seconds since 1970.
        let modifiedAt: Int?
    }

    private let assets: [String: Asset]

    /// - Throws: `ViewError` that names the file, if one cannot be read or is of an unknown kind.
    public init(folder: String) throws(ViewError) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw ViewError(folder, "cannot be read; is it the folder with the assets?")
        }
        var assets: [String: Asset] = [:]
        for name in names where !name.hasPrefix(".") {
            guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else {
                throw ViewError(name, "is of a kind that is not served")
            }
            let path = "\(folder)/\(name)"
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ViewError(name, "cannot be read")
            }
            let contents = Array(data)
            let version = Response.entityTag(of: contents).opaque.prefix(12)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            let date = attributes?[.modificationDate] as? Date
            assets[name] = Asset(
                type: type, contents: contents,
                coded: Response.file(type, contents).isCodable
                    ? Gzip.compress(contents, level: 9) : nil,
                version: String(version), modifiedAt: date.map { Int($0.timeIntervalSince1970) })
        }
        self.assets = assets
    }

    private static let types: [String: MediaType] = [
        "css": .css, "svg": .svg, "js": .javaScript, "png": .png, "ico": .icon,
        "webmanifest": .webManifest, "json": .json,
    ]

    /// The address of a file, with its version.
    func path(_ name: String) -> String {
        "/assets/\(name)" + (assets[name].map { "?v=\($0.version)" } ?? "")
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
        let isVersioned = call.query["v"] == asset.version
        var response = Response(
            headerFields: [
                .contentType: asset.type.description,
                .cacheControl: isVersioned
                    ? "public, max-age=31536000, immutable" : "no-cache",
            ], body: asset.contents)
        if let time = asset.modifiedAt {
            response.headerFields[.lastModified] = HTTPDate.format(secondsSince1970: time)
        }
        return try response.conditional(
            for: call.request, coded: asset.coded, lastModified: asset.modifiedAt)
    }
}
