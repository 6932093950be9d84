import FaveGames
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The operator's texts", .blocking)
struct SiteTextsTests {
    private static let rules = """
        # House rules

        Be kind, and patient. <script>alert(1)</script> &amp; "quotes"

        ## Not here

        - Spoilers, see https://couch.example/?a=b&c=d
          and javascript:alert(1)
        - <mods+rules@couch.example>

        ### Later
        """

    private static func site(_ change: (inout SiteIdentity) -> Void = { _ in }) -> SiteIdentity {
        var site = SiteIdentity()
        site.rules = SiteText(rules)
        change(&site)
        return site
    }

    @Test("are pages of what they say, in which markup of theirs is text")
    func page() async throws {
        let (status, html) = try await SnapshotSite.page("/rules", for: .guest, of: Self.site())
        #expect(status == 200)
        #expect(html.contains("<title>House rules · Fave Games</title>"))
        #expect(html.contains("<link rel=\"canonical\" href=\"https://fave.example/rules\">"))
        for part in [
            "<h1 dir=\"auto\">House rules</h1>",
            """
            <p dir="auto">Be kind, and patient. &lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; \
            &quot;quotes&quot;</p>
            """,
            "<h2 dir=\"auto\">Not here</h2>",
            """
            <ul>
            <li dir="auto">Spoilers, see <a href="https://couch.example/?a=b&amp;c=d">\
            https://couch.example/?a=b&amp;c=d</a><br>and javascript:alert(1)</li>
            """,
            """
            <li dir="auto">&lt;<a href="mailto:mods%2Brules@couch.example">\
            mods+rules@couch.example</a>&gt;</li>
            </ul>
            """,
            "<h3 dir=\"auto\">Later</h3>",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        #expect(html.components(separatedBy: "<h1").count == 2)
    }

    @Test("are linked where people decide by them")
    func links() async throws {
        let site = Self.site {
            $0.imprint = SiteText("Jane Doe\nSofa Street 1")
            $0.contact = ExternalAddress("mailto:jane@couch.example")
        }
        func page(_ target: String) async throws -> String {
            try await SnapshotSite.page(target, for: .guest, of: site).html
        }
        let footer = "<p><a href=\"/rules\">Rules</a></p>\n<p><a href=\"/imprint\">Imprint</a></p>"
        #expect(try await page("/").contains(footer))
        #expect(
            try await page("/sign-up").contains(
                "By signing up you agree to the <a href=\"/rules\">rules</a>."))
        let report = try await page("/report?username=rob")
        #expect(report.contains("Our <a href=\"/rules\">rules</a> say what isn’t allowed here."))
        #expect(report.contains("<a href=\"mailto:jane@couch.example\">jane@couch.example</a>"))
        #expect(
            try await page("/rules").contains("Reach us at <a href=\"mailto:jane@couch.example"))
        let imprint = try await page("/imprint")
        #expect(imprint.contains("<h1 dir=\"auto\">Imprint</h1>"))
        #expect(imprint.contains("<p dir=\"auto\">Jane Doe<br>Sofa Street 1</p>"))
    }

    @Test("that aren't there have no page, and no link")
    func none() async throws {
        for path in ["/rules", "/imprint"] {
            let (status, html) = try await SnapshotSite.page(path, for: .guest)
            #expect(status == 404)
            #expect(!html.contains("href=\"/rules\""))
        }
        for path in ["/", "/sign-up", "/report?username=rob"] {
            let html = try await SnapshotSite.page(path, for: .guest).html
            #expect(!html.contains("href=\"/rules\"") && !html.contains(">Contact</a>"))
        }
    }
}
