import Foundation
import TestSupport
import Testing

@Suite("In a browser", .blocking, .thorough)
struct AccountFlowTests {
    private static let new = "daisy hammer 77"

    /// - Parameter settings: Besides those for browsers.
    private static func run(
        _ settings: [String: String] = [:], hasJavaScript: Bool = true,
        _ body: (TestServer, WebDriver) async throws -> Void
    ) async throws {
        let settings = TestServer.forBrowsers.merging(settings) { $1 }
        try await TestServer.run(settings: settings) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
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

    @Test("someone gets back in with a recovery code", arguments: [true, false])
    func recovery(hasJavaScript: Bool) async throws {
        try await Self.run(hasJavaScript: hasJavaScript) { server, browser in
            try browser.open(server.url("/sign-up"))
            try browser.find("label[for=codes]").click()
            try await Self.signUp("newcomer", browser)
            let codes = try browser.find("#codes").property("value") ?? ""
            #expect(codes.split(separator: "\n").count == 10)
            try await browser.findLink("I’ve saved them").follow()
            try await Self.signOut(server, browser)
            try browser.open(server.url("/sign-in"))
            try await browser.findLink("Forgot your password?").follow()
            try browser.find("#username").fill("newcomer")
            try browser.find("#code").fill(String(codes.prefix(19)))
            try browser.find("#new").fill(Self.new)
            try await browser.find("main form button").follow()
            #expect(try browser.target == "/settings?saved=recovered")
            #expect(try browser.find("#recovery").text.contains("You have no codes."))
        }
    }

    @Test("someone makes a token, sees it once, and revokes it", arguments: [true, false])
    func tokens(hasJavaScript: Bool) async throws {
        try await Self.run(hasJavaScript: hasJavaScript) { server, browser in
            try browser.open(server.url("/sign-up"))
            try await Self.signUp("newcomer", browser)
            try browser.open(server.url("/settings"))
            try await browser.find("#programs a").follow()
            try browser.find("#token-name").fill("My spreadsheet")
            try browser.find("label[for=scope-list]").click()
            try browser.find("#token-password").fill(World.password)
            try await browser.find("#new-token-form button").follow()
            let token = try browser.find("#new-token").property("value") ?? ""
            #expect(token.hasPrefix("fave_pat_"))
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 200)
            try browser.open(server.url("/settings/tokens"))
            #expect(try !browser.has("#new-token"))
            try await browser.find("#tokens li button").follow()
            #expect(try browser.find("main [role=status]").text.contains("Revoked"))
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 401)
        }
    }

    @Test("a guest reports a comment, a moderator hides it, and its author reads why")
    func moderation() async throws {
        try await Self.run { server, browser in
            let rob = try await server.makeUser("robin")
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: rob,
                json: #"{"gameId": 71, "platformId": 6, "comment": "Buy my pills!"}"#)
            #expect(added.status == 201)
            try browser.open(server.url("/@robin"))
            try browser.find(".fave .dots summary").click()
            try await browser.findLink("Report this reason").follow()
            #expect(try browser.find("blockquote").text.contains("Buy my pills!"))
            try browser.find("label[for=reason-spam]").click()
            try browser.find("#note").type("Again.")
            try await browser.find("main form button").follow()
            #expect(try browser.find("h1").text == "Thank you")

            try browser.open(server.url("/sign-up"))
            try await Self.signUp("annie", browser)
            try server.database.session().execute(
                "UPDATE users SET role = 'admin' WHERE username = 'annie'")
            try browser.open(server.url("/settings"))
            try await browser.findLink("See the reports").follow()
            #expect(try browser.find(".case").text.contains("Again."))
            try browser.find(".case input[name=reason]").fill("No advertising.")
            try await browser.find(".case button[value=hide_comment]").follow()
            #expect(try browser.find("main").text.contains("All clear"))
            try browser.open(server.url("/@robin"))
            #expect(try !browser.find("main").text.contains("Buy my pills!"))
            let notices = try server.send("GET", "/api/v1/me/notices", token: rob)
            #expect(notices.text.contains("No advertising."))
            try browser.open(server.url("/moderation"))
            try await browser.findLink("Log").follow()
            try await browser.find("main li button").follow()
            try browser.open(server.url("/@robin"))
            #expect(try browser.find("main").text.contains("Buy my pills!"))
        }
    }

    @Test("a member invites someone, who signs up", arguments: [true, false])
    func invitation(hasJavaScript: Bool) async throws {
        try await Self.run(["SIGN_UP": "invite"], hasJavaScript: hasJavaScript) { server, browser in
            _ = try await server.makeUser("robin")
            let secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            try server.database.session().execute(
                """
                INSERT INTO invitations (token_hash, uses, uses_left, expires_at)
                VALUES (sha256(decode(repeat('00', 32), 'hex')), 1, 1, now() + interval '1 day')
                """)
            try browser.open(server.url("/sign-up"))
            #expect(try browser.find("h1").text == "Sign-up is by invitation")
            try browser.open(server.url("/sign-up?invitation=\(secret)"))
            try await Self.signUp("annie", browser)
            #expect(try browser.has("nav.account-menu"))
            try browser.open(server.url("/settings"))
            try await browser.findLink("Invite someone").follow()
            try await browser.find("#invite button").follow()
            let link = try browser.find("#link").property("value") ?? ""
            try await Self.signOut(server, browser)
            let path = try #require(link.firstMatch(of: /\/sign-up.*/)).0
            try browser.open(server.url(String(path)))
            try await Self.signUp("eve-2", browser)
            #expect(try browser.has("nav.account-menu"))
            try await Self.signOut(server, browser)
            try browser.open(server.url(String(path)))
            #expect(try browser.find("#problem").text.contains("has been used up"))
        }
    }

    @Test("someone confirms an address, and gets back in by mail", arguments: [true, false])
    func mail(hasJavaScript: Bool) async throws {
        let mail = try MailServer()
        func link(_ number: Int) async throws -> String {
            try await eventually("mail \(number)") { mail.messages.count >= number }
            let text = mail.messages.elements[number - 1].text
            return String(try #require(text.firstMatch(of: /127\.0\.0\.1(\/\S*token=[\w-]{43})/)).1)
        }
        try await Self.run(
            [
                "SMTP_URL": "smtp://127.0.0.1:\(mail.port)?tls=off",
                "SMTP_FROM": "Fave Games <games@fave.example>",
            ], hasJavaScript: hasJavaScript
        ) { server, browser in
            try browser.open(server.url("/sign-up"))
            try await Self.signUp("newcomer", browser)
            try browser.open(server.url("/settings"))
            try browser.find("#mail-address").fill("me@mail.example")
            try browser.find("#mail-password").fill(World.password)
            try await browser.find("#mail button").follow()
            #expect(try browser.find("main [role=status]").text.contains("Check your email"))
            try browser.open(server.url(try await link(1)))
            try await browser.find("main form button").follow()
            #expect(try browser.find("#mail").text.contains("Your address is me@mail.example"))
            try await Self.signOut(server, browser)

            try browser.open(server.url("/sign-in"))
            try await browser.findLink("Forgot your password?").follow()
            try browser.find("#account").fill("me@mail.example")
            try await browser.find("main form button").follow()
            #expect(try browser.find("main [role=status]").text.contains("a link is on its way"))
            try browser.open(server.url(try await link(2)))
            try browser.find("#new").fill(Self.new)
            try await browser.find("main form button").follow()
            #expect(try browser.target == "/settings?saved=recovered")
            try browser.open(server.url(try await link(2)))
            #expect(try browser.find("main").text.contains("has been used, or has expired"))
        }
    }
}
