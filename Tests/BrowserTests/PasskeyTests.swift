import TestSupport
import Testing

@Suite("Someone with a passkey", .blocking, .thorough, .needs(.passkeys))
struct PasskeyTests {
    /// Passkeys are bound to a site's public address, and browsers have them at `localhost`.
    private static func run(
        _ body: (TestServer, WebDriver, _ site: String) async throws -> Void
    ) async throws {
        let port = try TestServer.freePort()
        let site = "http://localhost:\(port)"
        let settings = TestServer.forBrowsers.merging(
            ["PORT": String(port), "PUBLIC_URL": site]) { $1 }
        try await TestServer.run(.migrated, settings: settings) { server in
            try await WebDriver.run { browser in
                try browser.addAuthenticator()
                try await body(server, browser, site)
            }
        }
    }

    private static func signUp(_ browser: WebDriver, _ site: String) async throws {
        try browser.open(site + "/sign-up")
        try browser.find("#username").type("newcomer")
        try browser.find("#password").type(World.password)
        try await browser.find("main form button").follow()
    }

    private static func signOut(_ browser: WebDriver) async throws {
        try await browser.find("form[action='/sign-out'] button").follow()
    }

    @Test("adds it, signs in with it without a name, and removes it", arguments: [1280, 390])
    func journey(width: Int) async throws {
        try await Self.run { server, browser, site in
            try browser.resize(width: width, height: 844)
            try await Self.signUp(browser, site)
            try browser.open(site + "/settings")
            try await browser.find("#passkeys a").follow()
            #expect(try browser.find("main").text.contains("You have no passkeys."))
            try browser.find("#passkey-name").fill("My phone")
            try browser.find("#passkey-password").type("wrong")
            try browser.find("#add button").click()
            try await browser.wait(for: "the fault") {
                try browser.find("#add [data-fault]").text.contains("Wrong password")
            }
            try browser.find("#passkey-password").fill(World.password)
            try browser.find("#add button").click()
            try await browser.wait(for: "the passkey") {
                try browser.target == "/settings/passkeys?done=added"
            }
            #expect(try browser.find("#passkeys li").text.contains("My phone"))

            // The same device again.
            try browser.find("#passkey-password").fill(World.password)
            try browser.find("#add button").click()
            try await browser.wait(for: "the fault") {
                try browser.find("#add [data-fault]").text.contains("has a passkey")
            }

            try browser.run("document.querySelector(\"form[action='/sign-out']\").submit()")
            try await browser.wait(for: "the end of the session") {
                try !browser.has("nav.account-menu")
            }
            try browser.open(site + "/sign-in?return=/about")
            try browser.find("form[data-passkey] button").click()
            try await browser.wait(for: "the return") { try browser.target == "/about" }
            #expect(try browser.has("nav.account-menu"))
            let used: Int = try server.database.session().query(
                "SELECT count(*) FROM passkeys WHERE used_at IS NOT NULL")[0][0]
            #expect(used == 1)

            try browser.open(site + "/settings/passkeys")
            try await browser.find("#passkeys li button").follow()
            #expect(try browser.find("main [role=status]").text == "Removed.")
            try browser.run("document.querySelector(\"form[action='/sign-out']\").submit()")
            try await browser.wait(for: "the end of the session") {
                try !browser.has("nav.account-menu")
            }
            try browser.open(site + "/sign-in")
            try browser.find("form[data-passkey] button").click()
            try await browser.wait(for: "the problem") {
                try browser.has("#problem")
                    && browser.find("#problem").text.contains("No account here has this passkey")
            }
        }
    }
}
