import Foundation
import TestSupport
import Testing

@Suite("Circles in a browser", .blocking, .thorough)
struct CircleFlowTests {
    private static func run(
        hasJavaScript: Bool, width: Int, _ body: (TestServer, WebDriver) async throws -> Void
    ) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.resize(width: width, height: 844)
                try await body(server, browser)
            }
        }
    }

    private static func signUp(_ name: String, _ browser: WebDriver) async throws {
        try browser.find("#username").fill(name)
        try browser.find("#password").fill(World.password)
        try await browser.find("main form button").follow()
    }

    private static func signOut(_ server: TestServer, _ browser: WebDriver) async throws {
        try browser.open(server.url("/sign-out"))
        try await browser.find("main form button").follow()
    }

    @Test(
        "someone makes one and invites a friend, who signs up, joins, is made the owner and deletes it",
        arguments: [true, false], [1280, 360])
    func life(hasJavaScript: Bool, width: Int) async throws {
        try await Self.run(hasJavaScript: hasJavaScript, width: width) { server, browser in
            try browser.open(server.url("/sign-up"))
            try await Self.signUp("robin", browser)
            try browser.open(server.url("/settings"))
            try await browser.findLink("Your circles").follow()
            try await browser.findLink("Create circle").follow()
            try browser.find("#circle-name").type("Tuesday Club")
            try browser.find("#circle-description").type("We play.")
            try browser.find("label[for=circle-is-public]").click()
            try await browser.find("main form button").follow()
            #expect(try browser.find("main [role=status]").text.contains("Now invite people"))
            try await browser.find("#invite button").follow()
            let link = try browser.find("#link").property("value") ?? ""
            let path = try #require(link.firstMatch(of: /\/circles\/join.*/)).0
            #expect(try browser.find("#open li").text.contains("20 places left"))
            let settings = try browser.target.replacing("/invitations", with: "/settings")
            try await Self.signOut(server, browser)

            try browser.open(server.url(String(path)))
            #expect(try browser.find("h1").text.contains("Tuesday Club"))
            #expect(try browser.find("main").text.contains("robin invites you"))
            try await browser.find("main form button").follow()
            #expect(try browser.target.hasPrefix("/sign-up?return="))
            try await Self.signUp("annie", browser)
            #expect(try browser.target == "/circles/tuesday-club?done=joined")
            #expect(try browser.find("main [role=status]").text == "You’re in.")
            #expect(try browser.find("main section .button").text == "Add your five")
            #expect(try browser.findAll(".circle-members > li").count == 2)
            try await Self.signOut(server, browser)

            try await browser.signIn("robin", to: server)
            try browser.open(server.url(settings))
            try browser.find(".members-list summary").click()
            try await browser.find(".members-list form button").follow()
            #expect(try browser.find("main [role=status]").text.contains("has a new owner"))
            try browser.find("details.form summary").click()
            try await browser.find("details.form .danger").follow()
            #expect(try browser.find("main [role=status]").text.contains("You’ve left"))
            try await Self.signOut(server, browser)

            try await browser.signIn("annie", to: server)
            try browser.open(server.url(settings))
            try browser.find("#delete summary").click()
            try await browser.find("#delete .danger").follow()
            #expect(try browser.find("main [role=status]").text == "The circle is deleted.")
            #expect(try server.send("GET", settings.replacing("/settings", with: "")).status == 404)
        }
    }
}
