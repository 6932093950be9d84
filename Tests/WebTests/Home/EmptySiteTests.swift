import Foundation
import TestSupport
import Testing

@testable import Views
@testable import Web

@Suite("A site without any lists", .blocking)
struct EmptySiteTests {
    private static let targets = ["/", "/platforms", "/users", "/entries"]

    /// Whether a heading is the last thing of its section, but for empty elements and a link to more.
    private static func hasHeadingOverNothing(_ html: String) -> Bool {
        var html = html
        while case let rest = html.replacing(/<(\w+)[^>]*>\s*<\/\1>/, with: { _ in "" }),
            rest != html
        {
            html = rest
        }
        let last =
            /<\/h[1-6]>\s*(<p><a class="more"[^>]*>[^<]*<\/a><\/p>\s*)?(<\/div>\s*)*<\/(section|main)>/
        return html.contains(last)
    }

    @Test("leads from each page to the editor, and has no heading over nothing", arguments: targets)
    func leads(target: String) async throws {
        for contents in [TestDatabase.Contents.migrated, .seeded] {
            try await TestServer.run(contents) { server in
                let visitor = try server.browser("rob")
                for page in [try server.send("GET", target), try visitor.get(target)] {
                    expectPage(page, 200, #"<a class="button" href="/me">Pick your five</a>"#)
                    #expect(!Self.hasHeadingOverNothing(page.text), "\(page.text)")
                }
            }
        }
    }

    @Test("lets people pick from the platforms that there are")
    func platforms() async throws {
        try await TestServer.run { server in
            let page = try server.send("GET", "/platforms")
            expectPage(page, 200, #"<a href="/platforms/win">"#)
            #expect(page.text.contains("All platforms"))
            // Nor is that cached for longer than it is true.
            try server.execute("UPDATE platforms SET name = 'Glasses' WHERE slug = 'win'")
            #expect(try server.send("GET", "/platforms").text.contains("Glasses"))
        }
    }

    @Test("would be seen to have one")
    func check() {
        for html in [
            "<section><h2>A</h2></section>", "<main><h1>A</h1> <ul>\n</ul></main>",
            #"<section><div><h2>A</h2> <p><a class="more" href="/">M</a></p></div><div><ol></ol></div></section>"#,
        ] { #expect(Self.hasHeadingOverNothing(html), "\(html)") }
        #expect(!Self.hasHeadingOverNothing("<section><h2>A</h2><ul><li>B</li></ul></section>"))
    }

    @Test("says to administrators which settings it lacks, by their names")
    func settings() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let table = try String(
            contentsOf: root.appending(path: "docs/settings.md"), encoding: .utf8)
        for name in SetupGap.allCases.compactMap(\.setting) {
            #expect(table.contains("`\(name)`"), "\(name)")
        }
    }
}
