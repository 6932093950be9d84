import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The library of assets")
struct AssetLibraryTests {
    private func path(_ contents: String) throws -> String {
        try TemporaryFolder.with { folder in
            try folder.write("site.css", Data(contents.utf8))
            return try AssetLibrary(folder: folder.path).path("site.css")
        }
    }

    @Test("gives an address that changes with the contents, and only with them")
    func versions() throws {
        let first = try path("a { color: red }")
        #expect(first.wholeMatch(of: /\/assets\/site\.css\?v=[0-9a-f]{12}/) != nil)
        #expect(try path("a { color: red }") == first)
        #expect(try path("a { color: blue }") != first)
    }

    @Test("has what the pages need")
    func shipped() throws {
        let library = try AssetLibrary(folder: TestDatabase.viewsFolder + "/assets")
        for name in [
            "site.css", "site.js", "embed.css", "favicon.svg", "favicon.ico",
            "apple-touch-icon.png", "site.webmanifest",
        ] {
            #expect(library.path(name).hasPrefix("/assets/\(name)?v="))
        }
    }

    @Test("names what it cannot serve")
    func unknownKind() throws {
        try TemporaryFolder.with { folder in
            try folder.write("program.exe", Data())
            #expect {
                try AssetLibrary(folder: folder.path)
            } throws: {
                ($0 as? ViewError)?.description.contains("program.exe") == true
            }
        }
        #expect {
            try AssetLibrary(folder: "/nowhere/assets")
        } throws: {
            ($0 as? ViewError)?.description.contains("/nowhere/assets") == true
        }
    }

    @Test("passes over hidden files")
    func hidden() throws {
        try TemporaryFolder.with { folder in
            try folder.write(".DS_Store", Data())
            _ = try AssetLibrary(folder: folder.path)
        }
    }
}
