import Endpoints
import Foundation
import Languages
import Testing
import Views

@testable import Web

@Suite("Snapshot of a page", .blocking)
struct PageSnapshotTests {
    struct Page: Sendable, CustomTestStringConvertible {
        let name: String
        let target: String
        let visitor: SnapshotSite.Visitor
        var status = 200
        var isEmpty = false
        var form: [(String, String)]?

        var testDescription: String { name }

        init(
            _ name: String, _ target: String, for visitor: SnapshotSite.Visitor = .guest,
            status: Int = 200, isEmpty: Bool = false, sending form: [(String, String)]? = nil
        ) {
            self.name = name
            self.target = target
            self.visitor = visitor
            self.status = status
            self.isEmpty = isEmpty
            self.form = form
        }
    }

    private static let circle = "/circles/club-co"

    static let pages: [Page] = [
        Page("home", "/"), Page("home-empty", "/", isEmpty: true),
        Page("home-member", "/", for: .rob), Page("home-newcomer", "/", for: .ann),
        Page("platforms", "/platforms"),
        Page("platforms-not-found", "/platforms?search=%22zzz%22+%26+%3Cb%3E"),
        Page("ranking", "/platforms/ps4--1"),
        Page("platform-game", "/platforms/ps4--1/games/120", for: .ada),
        Page("platform-game-unranked", "/platforms/old/games/120"),
        Page("platform-game-unloved", "/platforms/ps4--1/games/305"),
        Page("games", "/games"), Page("games-found", "/games?search=portal"),
        Page("games-not-found", "/games?search=zzz"),
        Page("game", "/games/120"), Page("game-unloved", "/games/302"),
        Page("users", "/users"), Page("users-not-found", "/users?search=zzz"),
        Page("list", "/@rob", for: .ada), Page("list-right-to-left", "/@noa"),
        Page("list-own", "/@ada", for: .ada), Page("list-none", "/@ann"),
        Page("share", "/@rob/share"), Page("share-saved", "/@ada/share?saved", for: .ada),
        Page("snapshot", "/@rob/2024-1"), Page("similar", "/@ada/similar"),
        Page("entries", "/entries?platform=win&tag=puzzle&rating=5&search=cake"),
        Page("entries-none", "/entries?search=zzzz"),
        Page("following", "/following", for: .ada),
        Page("following-people", "/following/people", for: .ada),
        Page("followers", "/followers", for: .rob),
        Page("block", "/@rob/block", for: .ada), Page("blocked", "/@bea", for: .ann),
        Page("blocked-people", "/settings/blocked", for: .ann),
        Page("report-circle", "/report?circle=00000000-0000-4000-8000-000000000c01"),
        Page("circles", "/circles", for: .rob), Page("circle", circle),
        Page("circle-own", circle, for: .rob),
        Page("circle-settings", circle + "/settings", for: .rob),
        Page("circle-ranking", circle + "/platforms/win"),
        Page(
            "circle-invitation",
            "/circles/join?invitation=\(String(repeating: "A", count: 43))"),
        Page("editor", "/me", for: .ada),
        Page("editor-found", "/me?search=portal", for: .ann),
        Page(
            "editor-refused", "/me", for: .rob, status: 422,
            sending: [
                ("base", ""), ("entry", "new-1"), ("game", "71"), ("platform", ""),
                ("comment", "<b>"), ("tags", "a#b"), ("rating", "9"), ("do", "save"),
            ]),
        Page(
            "editor-conflict", "/me", for: .ada, status: 409,
            sending: [("base", ""), ("do", "save")]),
        Page("imported", "/me/import", for: .rob),
        Page("import-left-out", "/me/import?left=out", for: .rob),
        Page("import-running", "/me/import", for: .ada),
        Page("settings", "/settings", for: .rob),
        Page("sign-in", "/sign-in?return=/games"), Page("sign-up", "/sign-up"),
        Page("sign-out", "/sign-out", for: .rob),
        Page("problems", "/api/problems"),
        Page("problem-kind", "/api/problems/invalid-members"),
    ]

    @Test("inside of its <main>", arguments: pages)
    func main(_ page: Page) async throws {
        let (status, html) = try await SnapshotSite.page(
            page.target, for: page.visitor, isEmpty: page.isEmpty, sending: page.form)
        #expect(status == page.status, "\(html)")
        // What people write is text, also with a mark on what ends it.
        #expect(!html.contains("<script>alert") && !html.contains("<b>Then"))
        #expect(Array(html.utf8).firstRange(of: Array("\"\u{301}".utf8)) == nil)
        try PageSnapshot.expect(PageSnapshot.main(of: html), is: page.name)
    }

    @Test(
        "around its <main>, for each kind of visitor",
        arguments: [
            ("layout-guest", "/@rob", SnapshotSite.Visitor.guest),
            ("layout-member", "/settings", .rob), ("layout-moderator", "/entries", .ann),
        ])
    func layout(name: String, target: String, visitor: SnapshotSite.Visitor) async throws {
        let html = try await SnapshotSite.page(target, for: visitor).html
        try PageSnapshot.expect(PageSnapshot.layout(of: html), is: name)
    }

    @Test("that stands in a frame, which has a layout of its own")
    func embed() async throws {
        try await PageSnapshot.expect(
            SnapshotSite.page("/@rob/embed", for: .guest).html, is: "embed")
    }

    @Test(
        "of what went wrong",
        arguments: [
            ("error-404", Problem.notFound(.english("There is nobody called @<rob> here."))),
            ("error-503", Problem.unavailable(.english("The database is away."), retryAfter: 5)),
        ])
    func error(name: String, problem: Problem) async throws {
        let body = try await Services.forPages { services in
            ErrorPage.response(to: problem, PageContext(services, .en)).body
        }
        try PageSnapshot.expect(
            PageSnapshot.main(of: String(decoding: body, as: UTF8.self)), is: name)
    }

    @Test("is there for each file that was recorded")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: PageSnapshot.folder.path)
            .filter { $0.hasSuffix(".html") }.map { String($0.dropLast(5)) }
        let others = [
            "layout-guest", "layout-member", "layout-moderator", "embed", "error-404", "error-503",
        ]
        #expect(Set(files) == Set(Self.pages.map(\.name) + others))
    }
}
