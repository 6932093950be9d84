import FaveGames
import Foundation
import TestSupport
import Testing

@testable import Web

/// A site with a name of its own never says the program's, except in what it is powered by.
@Suite("A site of one's own", .blocking)
struct OwnSiteTests {
    private static let site = {
        var site = SiteIdentity()
        site.name = "Couch Club"
        site.rules = SiteText("Be kind.")
        site.imprint = SiteText("Jane Doe")
        site.contact = ExternalAddress("mailto:jane@couch.example")
        return site
    }()

    /// Checks a page or a document. Names that programs read, such as `fave_pat_`, are the program's on
    /// every site; so are the first front end's addresses, and the host of the tests.
    private static func expectNoProgram(
        _ text: String, _ what: String, at location: SourceLocation = #_sourceLocation
    ) {
        let technical =
            /fave-games;|realm=(?:\\?"|&quot;)fave-games|fave_pat_|fave-admin|(my|platform)-fave-games|fave\.example|class="faves?"/
        let rest = text.replacing("Powered by Fave Games", with: "").replacing(technical, with: "")
        for match in rest.matches(of: /.{0,40}[Ff][Aa][Vv][Ee].{0,40}/) {
            Issue.record("\(what): \(match.0)", sourceLocation: location)
        }
    }

    @Test("has its own name on every page", arguments: PageSnapshotTests.pages)
    func pages(_ page: PageSnapshotTests.Page) async throws {
        let (status, html) = try await SnapshotSite.page(
            page.target, for: page.visitor, isEmpty: page.isEmpty, sending: page.form,
            of: Self.site)
        #expect(status == page.status)
        #expect(html.contains(" · Couch Club</title>"))
        #expect(html.contains("<p>Powered by Fave Games</p>"))
        Self.expectNoProgram(html, page.name)
    }

    /// All addresses without parameters, and those with some whose responses name the site.
    private static let targets =
        Routes.all.filter { $0.method == .get && !$0.pattern.contains("{") }.map(\.pattern) + [
            "/@rob/feed", "/platforms/ps4--1/feed", "/following/feed?key=\(key)", "/@rob/embed",
            "/@nobody/embed", "/oembed?url=https://fave.example/@rob", "/report?username=rob",
            "/nothing",
            "/sitemap.xml?part=pages", "/@rob/2024/share", "/platforms/ps4--1/share",
        ]

    private static let key = String(repeating: "A", count: 43)

    @Test("has its own name in everything else that it gives out", arguments: [true, false])
    func others(isSignedIn: Bool) async throws {
        for target in Self.targets {
            let text = try await SnapshotSite.page(
                target, for: isSignedIn ? .rob : .guest, of: Self.site
            ).html
            Self.expectNoProgram(text, target)
        }
    }

    @Test("names itself in documents, feeds, pictures' and files' names")
    func names() async throws {
        for (target, part) in [
            ("/api/v1", #""name":"Couch Club""#),
            ("/api/v1/openapi.json", #""title": "Couch Club""#),
            ("/api/v1/openapi.json", #""email": "jane@couch.example""#),
            ("/@rob/embed", "\nCouch Club</a>"), ("/about", "<h1>About Couch Club</h1>"),
            ("/about", #"<a href="mailto:jane@couch.example">jane@couch.example</a>"#),
            ("/platforms/ps4--1/feed", "<name>Couch Club</name>"),
            ("/following/feed?key=\(Self.key)", ">Couch Club: people "),
            ("/oembed?url=https://fave.example/@rob", #""provider_name":"Couch Club""#),
            ("/@rob/share", #"download="couch-club-rob-"#),
            ("/sitemap.xml?part=pages", "<loc>https://fave.example/rules</loc>"),
        ] {
            let text = try await SnapshotSite.page(target, for: .guest, of: Self.site).html
            #expect(text.contains(part), "\(target)")
        }
        #expect(WebSettings(publicURL: "https://fave.example").relyingParty?.name == "Fave Games")
        var settings = WebSettings(publicURL: "https://fave.example")
        settings.site = Self.site
        #expect(settings.relyingParty?.name == "Couch Club")
    }

    @Test(
        "has names of files that any system takes",
        arguments: [
            ("Fave Games", "fave-games"), ("Couch Club", "couch-club"),
            ("  O'Neil & \"Co\" ", "o-neil-co"),
            ("生化危机", "list"), ("Ünder 18", "nder-18"),
        ])
    func fileNames(name: String, expected: String) {
        var site = SiteIdentity()
        site.name = name
        #expect(site.fileName == expected)
    }

    @Test("is powered by the program, with a link to its source if there is one")
    func powered() async throws {
        let settings = [
            "SITE_NAME": "Couch <Club>", "SOURCE_URL": "https://code.example/games",
            "SITE_DESCRIPTION": "What we play on the couch.", "CONTACT": "https://couch.example/hi",
        ]
        try await TestServer.run(settings: settings) { server in
            let html = try server.send("GET", "/").text
            #expect(
                html.contains(
                    #"<p>Powered by <a href="https://code.example/games">Fave Games</a></p>"#))
            #expect(!html.contains(">Source</a>"))
            #expect(html.contains("<span>Couch &lt;Club&gt;</span>"))
            #expect(html.contains(#"<meta property="og:site_name" content="Couch &lt;Club&gt;">"#))
            #expect(html.contains(#"content="What we play on the couch.""#))
            #expect(html.contains(#"<p class="lead">What we play on the couch.</p>"#))
            #expect(html.contains(#"<p><a href="https://couch.example/hi">Contact</a></p>"#))
            let document = try server.send("GET", "/api/v1/openapi.json").object
            let information = document["info"] as? [String: Any]
            #expect(information?.string("summary") == "What we play on the couch.")
            #expect(
                (information?["contact"] as? [String: Any])?.string("url")
                    == "https://couch.example/hi")
        }
    }

    @Test("is only named where its name is declared")
    func sources() throws {
        for folder in [
            "Views", "Sources/Web", "Sources/ShareCard", "Sources/Identity", "Sources/Mail",
            "Sources/Endpoints", "Sources/Actions", "Sources/Storage",
            "Sources/StorageWrites",
        ] {
            let root = TestDatabase.repository + "/" + folder
            let paths = try #require(FileManager.default.enumerator(atPath: root))
                .compactMap { $0 as? String }
                .filter {
                    ["html", "swift", "js", "css", "webmanifest", "svg"].contains(
                        $0.split(separator: ".").last)
                }
            #expect(!paths.isEmpty)
            for path in paths {
                let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
                #expect(!text.contains("Fave Games"), "\(folder)/\(path)")
            }
        }
    }
}
