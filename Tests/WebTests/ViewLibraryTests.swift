import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The library of templates")
struct ViewLibraryTests {
    private static let firstLine = "{{% CONTENT_TYPE: SafeHTML}}\n"

    /// Makes a folder with a template for each page, and changes to it, and tries to load it.
    ///
    /// - Returns: The error's text; `nil` if it loads.
    private func load(_ changes: [String: String?]) throws -> String? {
        try TemporaryFolder.with { folder -> String? in
            var files: [String: String?] = [:]
            for view in View.allCases { files[view.rawValue] = Self.firstLine + "{{name}}" }
            for (name, text) in files.merging(changes, uniquingKeysWith: { $1 }) {
                if let text { try folder.write("\(name).mustache", Data(text.utf8)) }
            }
            do {
                _ = try ViewLibrary(folder: folder.path)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    @Test("loads all templates that come with the server")
    func shipped() throws {
        _ = try ViewLibrary(folder: TestDatabase.viewsFolder)
        #expect(try load([:]) == nil)
    }

    @Test("names a folder that is not there")
    func missingFolder() {
        #expect {
            try ViewLibrary(folder: "/nowhere/Views")
        } throws: {
            ($0 as? ViewError)?.description.contains("/nowhere/Views") == true
        }
    }

    @Test("names the page whose template is missing", arguments: View.allCases)
    func missingPage(view: View) throws {
        let error = try #require(try load([view.rawValue: String?.none]))
        #expect(error.hasPrefix("The template \(view.rawValue) is missing"))
    }

    @Test(
        "names a template that includes one that is not there",
        arguments: ["{{>partials/none}}", "{{> partials/none }}", "{{<none}}{{/none}}"])
    func missingPartial(text: String) throws {
        let error = try #require(try load(["home": Self.firstLine + text]))
        #expect(error.hasPrefix("The template home includes"))
        #expect(error.contains("none, which is not there"))
    }

    @Test(
        "names a template without the line that makes it safe",
        arguments: [
            "", "{{name}}", "\n" + firstLine, "{{% CONTENT_TYPE: HTML}}\n",
            "{{% CONTENT_TYPE: TEXT}}\n", "{{% CONTENT_TYPE: SafeHTML}}",
        ])
    func missingFirstLine(text: String) throws {
        #expect(
            try load(["list": text])
                == "The template list must begin with {{% CONTENT_TYPE: SafeHTML}}.")
        #expect(try load(["partials/part": text])?.hasPrefix("The template partials/part") == true)
    }

    @Test("takes JSON in a data block, and nowhere else")
    func dataBlocks() throws {
        let line = "{{% CONTENT_TYPE: SafeJSON}}\n"
        let block = "<script type=\"application/ld+json\">{{.}}</script>\n"
        #expect(try load(["partials/data": line + block]) == nil)
        for text in [
            line, line + "{{.}}", line + block + "{{.}}", line + block + block,
            line + "<script>{{.}}</script>\n", line + "<p>" + block,
            line + "<script type=\"application/ld+json\">{{{.}}}</script>\n",
            line + "<script type=\"application/ld+json\">{{>a}}</script>\n",
        ] {
            #expect(
                try load(["partials/data": text])
                    == "The template partials/data must begin with {{% CONTENT_TYPE: SafeHTML}}.")
        }
    }

    @Test(
        "names a template that writes without escaping, or could",
        arguments: ["{{{name}}}", "{{&name}}", "{{& name}}", "{{=<% %>=}}<%&name%>"])
    func unescaped(text: String) throws {
        #expect(
            try load(["game": Self.firstLine + text])
                == "The template game writes a value without escaping it.")
    }

    @Test("names a template that cannot be parsed", arguments: ["{{#a}}", "{{/a}}", "{{a"])
    func malformed(text: String) throws {
        let error = try #require(try load(["game": Self.firstLine + text]))
        #expect(error.hasPrefix("The template game cannot be parsed"))
    }

    @Test("names a template that is not UTF-8")
    func encoding() throws {
        try TemporaryFolder.with { folder in
            try folder.write("game.mustache", Data([0x7B, 0xFF, 0xFE]))
            #expect {
                try ViewLibrary(folder: folder.path)
            } throws: {
                ($0 as? ViewError)?.description
                    == "The template game.mustache cannot be read as UTF-8."
            }
        }
    }

    @Test("passes over files that are no templates")
    func otherFiles() throws {
        try TemporaryFolder.with { folder in
            for view in View.allCases {
                try folder.write("\(view.rawValue).mustache", Data(Self.firstLine.utf8))
            }
            try folder.write("notes.txt", Data([0xFF]))
            try folder.write("home.mustache~", Data("{{{".utf8))
            _ = try ViewLibrary(folder: folder.path)
        }
    }

    @Test("escapes what it renders")
    func rendering() throws {
        try TemporaryFolder.with { folder in
            for view in View.allCases {
                let text = Self.firstLine + "<p>{{name}}</p>{{>partials/part}}"
                try folder.write("\(view.rawValue).mustache", Data(text.utf8))
            }
            try folder.write(
                "partials/part.mustache", Data((Self.firstLine + "<i>{{name}}</i>").utf8))
            struct Model: Sendable { let name: String }
            let html = try ViewLibrary(folder: folder.path).render(.home, Model(name: "<&\u{301}"))
            #expect(html == "<p>&lt;&amp;\u{301}</p><i>&lt;&amp;\u{301}</i>")
        }
    }
}
