import Foundation
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

    @Test("has every file of the folder, byte for byte but for the addresses of other files")
    func shipped() throws {
        let library = AssetLibrary(modifiedAt: nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.assetsFolder)
        #expect(names.contains("site.css"))
        for name in names {
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
