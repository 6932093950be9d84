import CLibDeflate
import FaveGames
import Foundation
import JSON
import TestSupport
import Testing

@testable import Web

@Suite("The library of assets", .blocking)
struct AssetLibraryTests {
    private func path(_ contents: String) -> String {
        AssetLibrary(["site.css": Array(contents.utf8)]).path("site.css")
    }

    @Test("gives an address that changes with the contents, and only with them")
    func versions() {
        let first = path("a { color: red }")
        #expect(first.wholeMatch(of: /\/assets\/site\.css\?v=[0-9a-f]{12}/) != nil)
        #expect(path("a { color: red }") == first)
        #expect(path("a { color: blue }") != first)
    }

    @Test("gives another address also to a file that refers to a changed one, directly or not")
    func references() throws {
        func library(_ color: String) -> AssetLibrary {
            AssetLibrary([
                "site.css": Array("@import \"./b.css\"; @import \"./none.css\"; x: \"./y".utf8),
                "b.css": Array("@import \"./c.css\";".utf8),
                "c.css": Array("a { color: \(color) }".utf8),
            ])
        }
        let (red, blue) = (library("red"), library("blue"))
        let text = String(decoding: try #require(red.assets["site.css"]).contents, as: UTF8.self)
        #expect(
            text == "@import \"\(red.path("b.css"))\"; @import \"./none.css\"; x: \"./y")
        for name in red.assets.keys { #expect(red.path(name) != blue.path(name), "\(name)") }
    }

    @Test("serves files that refer to each other, or to themselves")
    func circle() {
        let library = AssetLibrary([
            "a.js": Array("import \"./b.js\"; import \"./a.js\"".utf8),
            "b.js": Array("import \"./a.js\"".utf8),
        ])
        #expect(library.assets.count == 2)
    }

    @Test("gives the site's name to its manifest, and its colours to stylesheets and icons")
    func branded() throws {
        var site = SiteIdentity()
        site.name = "Couch \"Club\""
        site.ownDescription = "For the couch."
        site.accent = try Accent(Color(0x0B6B57))
        let standard = AssetLibrary(of: SiteIdentity(), modifiedAt: nil)
        let library = AssetLibrary(of: site, modifiedAt: nil)
        func contents(_ name: String, _ library: AssetLibrary) throws -> [UInt8] {
            try #require(library.assets[name]).contents
        }
        let manifest = try JSONParser.parse(contents("site.webmanifest", library))
        #expect(manifest["name"]?.text == site.name)
        #expect(manifest["short_name"]?.text == site.name)
        #expect(manifest["description"]?.text == "For the couch.")

        let own = [site.accent.light, site.accent.dark, site.accent.onDark].map(\.description)
        let shipped = [Accent.standard.light, Accent.standard.dark].map(\.description)
        for name in ["site.css", "embed.css"] {
            let (old, new) = try (
                String(decoding: contents(name, standard), as: UTF8.self),
                String(decoding: contents(name, library), as: UTF8.self)
            )
            for color in shipped {
                #expect(old.contains("--accent: \(color);"))
                #expect(!new.contains(color))
            }
            for color in own.prefix(2) { #expect(new.contains("--accent: \(color);")) }
            #expect(library.path(name) != standard.path(name))
        }
        let styles = String(decoding: try contents("site.css", library), as: UTF8.self)
        #expect(styles.contains("--on-accent: \(own[2]);"))
        for (index, name) in ["bg", "card", "sunk"].enumerated() {
            let grounds = [Accent.lightGrounds[index], Accent.darkGrounds[index]]
            let found = styles.matches(of: /--([a-z]+): (#[0-9a-f]{3,6});/)
                .filter { $0.1 == name }.prefix(2).map { $0.2 == "#fff" ? "#ffffff" : String($0.2) }
            #expect(found == grounds.map(\.description), "--\(name)")
        }

        let icons = library.assets.keys.filter {
            !["css", "js"].contains($0.split(separator: ".").last)
        }
        for name in icons where name.contains("icon") {
            let (old, new) = try (contents(name, standard), contents(name, library))
            #expect(old != new, "\(name)")
            guard name.hasSuffix("png") else { continue }
            let picture = try IconPicture(new)
            #expect(picture.colors.contains(site.accent.icon.bytes), "\(name)")
            #expect(!picture.colors.contains(Accent.standard.icon.bytes), "\(name)")
        }
    }

    @Test("has the site's colour also if that is another one of the standard colours")
    func standardColor() throws {
        var site = SiteIdentity()
        site.accent = try Accent(Accent.standard.onDark)
        let library = AssetLibrary(of: site, modifiedAt: nil)
        let styles = String(
            decoding: try #require(library.assets["site.css"]).contents, as: UTF8.self)
        #expect(styles.contains("--accent: \(site.accent.light);"))
    }

    /// A PNG with a palette, read as its specification says.
    private struct IconPicture {
        private(set) var colors: [[UInt8]] = []

        /// - Throws: An error if a chunk's checksum is wrong.
        init(_ png: [UInt8]) throws {
            var rest = png.dropFirst(8)
            func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
            while !rest.isEmpty {
                let length = number(rest.prefix(4))
                let chunk = rest.dropFirst(4).prefix(4 + length)
                let checksum = chunk.withUnsafeBytes {
                    libdeflate_crc32(0, $0.baseAddress, $0.count)
                }
                try #require(Int(checksum) == number(rest.dropFirst(8 + length).prefix(4)))
                if chunk.prefix(4).elementsEqual("PLTE".utf8) {
                    let palette = Array(chunk.dropFirst(4))
                    colors = stride(from: 0, to: palette.count, by: 3).map {
                        Array(palette[$0..<$0 + 3])
                    }
                }
                rest = rest.dropFirst(12 + length)
            }
        }
    }

    @Test("has every file of the folder, byte for byte but for the addresses of other files")
    func shipped() throws {
        let library = AssetLibrary(of: SiteIdentity(), modifiedAt: nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.assetsFolder)
        #expect(names.contains("site.css"))
        for name in names where name != "site.webmanifest" {
            let file = FileManager.default.contents(atPath: "\(TestDatabase.assetsFolder)/\(name)")
            var contents = file.map { Array($0) }
            let text = file.map { String(decoding: $0, as: UTF8.self) } ?? ""
            for other in ["suggestions.js", "noto-serif.woff2", "noto-serif-latin.woff2"]
            where text.contains("\"./\(other)\"") {
                let named = String(decoding: contents ?? [], as: UTF8.self)
                contents = Array(
                    named.replacing("\"./\(other)\"", with: "\"\(library.path(other))\"").utf8)
            }
            #expect(library.assets[name]?.contents == contents, "\(name)")
            #expect(library.path(name).hasPrefix("/assets/\(name)?v="))
        }
    }
}
