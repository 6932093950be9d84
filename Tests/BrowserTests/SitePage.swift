import TestSupport

/// A page that every check of pages looks at.
struct SitePage: Sendable {
    let target: String
    /// Whether someone is signed in, who is then `World.member`.
    var isForMember = false
    var status = 200

    init(_ target: String, isForMember: Bool = false, status: Int = 200) {
        self.target = target
        self.isForMember = isForMember
        self.status = status
    }

    /// All kinds of pages there are. A new one needs a line here, and nothing else.
    static let all = [
        SitePage("/"),
        SitePage("/platforms"),
        SitePage("/platforms?search=play"),
        SitePage("/platforms?search=zzzz"),
        SitePage("/platforms/ps3"),
        SitePage("/platforms/xbox360"),
        SitePage("/platforms/linux"),
        SitePage("/platforms/ps4--1/games/120"),
        SitePage("/platforms/xbox360/games/73"),
        SitePage("/platforms/win/games/72"),
        SitePage("/games"),
        SitePage("/games?search=portal"),
        SitePage("/games?search=zzzz"),
        SitePage("/games/71"),
        SitePage("/users"),
        SitePage("/users?search=filler"),
        SitePage("/users?search=zzzz"),
        SitePage("/@rob"),
        SitePage("/@ada"),
        SitePage("/@newbie"),
        SitePage("/@noa"),
        SitePage("/@llllllllllllllllllllllllllllll"),
        SitePage("/@rob/similar"),
        SitePage("/@newbie/similar"),
        SitePage("/@rob/embed"),
        SitePage("/@rob/share"),
        SitePage("/@llllllllllllllllllllllllllllll/share"),
        SitePage("/@rob/2024"),
        SitePage("/@rob/2025"),
        SitePage("/circles/\(World.circle)"),
        SitePage("/circles/\(World.circle)/platforms/ps4--1"),
        SitePage("/circles/join?invitation=\(String(repeating: "A", count: 43))"),
        SitePage("/api"),
        SitePage("/entries"),
        SitePage("/entries?platform=win&tag=puzzle&rating=5&search=cake"),
        SitePage("/entries?search=zzzz"),
        SitePage("/entries?gameName=portal"),
        SitePage("/sign-in"),
        SitePage("/sign-up"),
        SitePage("/sign-in/recover"),
        SitePage("/report?username=rob"),
        SitePage("/rules"),
        SitePage("/nothing", status: 404),
        SitePage("/", isForMember: true),
        SitePage("/games/72", isForMember: true),
        SitePage("/@rob", isForMember: true),
        SitePage("/@ada", isForMember: true),
        SitePage("/@rob/share?saved", isForMember: true),
        SitePage("/platforms/ps4--1/games/120", isForMember: true),
        SitePage("/entries", isForMember: true),
        SitePage("/following", isForMember: true),
        SitePage("/following/people", isForMember: true),
        SitePage("/followers", isForMember: true),
        SitePage("/me", isForMember: true),
        SitePage("/me?add=74", isForMember: true),
        SitePage("/me?search=portal", isForMember: true),
        SitePage("/settings", isForMember: true),
        SitePage("/settings/tokens", isForMember: true),
        SitePage("/settings/apps", isForMember: true),
        SitePage(World.authorization, isForMember: true),
        SitePage("/settings/blocked", isForMember: true),
        SitePage("/@ada/block", isForMember: true),
        SitePage("/settings/snapshots", isForMember: true),
        SitePage("/@rob/2025", isForMember: true),
        SitePage("/circles", isForMember: true),
        SitePage("/circles/new", isForMember: true),
        SitePage("/circles/\(World.circle)", isForMember: true),
        SitePage("/circles/\(World.circle)/settings", isForMember: true),
        SitePage("/me/import", isForMember: true),
        SitePage("/me/import?left=out", isForMember: true),
        SitePage("/moderation", isForMember: true),
        SitePage("/moderation/log", isForMember: true),
        SitePage("/sign-out", isForMember: true),
    ]

    /// Runs `body` on each of the pages, in one browser.
    ///
    /// - Parameter server: Has the data of `World`; by default, its server.
    static func visitAll(
        _ pages: [SitePage] = all, with browser: WebDriver, on server: TestServer? = nil,
        _ body: (SitePage) async throws -> Void
    ) async throws {
        let server = if let server { server } else { try await World.shared.server }
        for page in pages where !page.isForMember {
            try await page.visit(browser, server, body)
        }
        guard pages.contains(where: \.isForMember) else { return }
        try await browser.signIn(World.member, to: server)
        for page in pages where page.isForMember {
            try await page.visit(browser, server, body)
        }
    }

    private func visit(
        _ browser: WebDriver, _ server: TestServer, _ body: (SitePage) async throws -> Void
    ) async throws {
        let target = self.target
        try browser.open(server.url(target))
        // WebKit doesn't say it.
        let status: Int? = try browser.evaluate(
            "return performance.getEntriesByType('navigation')[0].responseStatus ?? null")
        guard try browser.target == target, (status ?? self.status) == self.status else {
            throw TestFailure("\(target) is \(status ?? 0) at \(try browser.url)")
        }
        try await body(self)
    }
}

extension SitePage: CustomStringConvertible {
    var description: String { target + (isForMember ? " (signed in)" : "") }
}

extension WebDriver {
    /// Opens what can be opened on a page, to look at that, too.
    func openDetails() throws {
        try run("for (const details of document.querySelectorAll('details')) details.open = true")
    }
}
