import Foundation
import TestSupport
import Testing

@Suite("The front end of docs/api.md, in a browser, on a site of its own", .blocking, .thorough)
struct AppSignInTests {
    private static func example(_ site: String, app: String) throws -> String {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/docs/api.md", encoding: .utf8)
        guard let match = text.firstMatch(of: /```html\n([\s\S]*?)```/) else {
            throw TestFailure("no example")
        }
        return String(match.1).replacing("http://127.0.0.1:8080", with: site)
            .replacing("CLIENT_ID", with: app)
    }

    @Test("signs someone in, shows their list and changes it")
    func journey() async throws {
        let page = Recorder<String>()
        try await FrontEndSite.run(page: { page.elements.last ?? "" }) { sitePort in
            let front = "http://localhost:\(sitePort)/page"
            let port = try TestServer.freePort()
            let api = "http://fave.localhost:\(port)"
            try await TestServer.run(settings: ["PUBLIC_URL": api, "PORT": "\(port)"]) { server in
                let app: String = try server.database.session().query(
                    """
                    INSERT INTO apps (name, address, redirects)
                    VALUES ('Shelf', 'https://shelf.example', ARRAY[$1]) RETURNING id::text
                    """, [.text(front)])[0][0]
                page.record(try Self.example(api, app: app))
                let token = try await Self.signUp(server)
                try await WebDriver.run { browser in
                    try browser.open(front)
                    try await browser.find("#sign-in").follow()
                    try browser.find("#username").fill("rob")
                    try browser.find("#password").fill(World.password)
                    try await browser.find("main form button").follow()
                    #expect(try browser.find("h1").text == "Let Shelf in?")
                    try browser.find("button[value=allow]").click()
                    try await browser.wait(for: "the list") {
                        try Self.games(browser) == ["The Last Guardian", "Portal"]
                    }
                    try browser.find("#move").click()
                    try await browser.wait(for: "the change") {
                        try Self.games(browser) == ["Portal", "The Last Guardian"]
                    }
                    #expect(try browser.evaluate("return location.search", as: String.self) == "")
                }
                let list = try server.send("GET", "/api/v1/me/list", token: token).text
                let (portal, guardian) = (
                    try #require(list.range(of: "\"Portal\"")),
                    try #require(list.range(of: "\"The Last Guardian\""))
                )
                #expect(portal.lowerBound < guardian.lowerBound)
            }
        }
    }

    private static func games(_ browser: WebDriver) throws -> [String] {
        try browser.evaluate(
            "return [...document.querySelectorAll('ol > li')].map((item) => item.textContent);")
    }

    /// - Returns: A token of someone with a password and two games.
    private static func signUp(_ server: TestServer) async throws -> String {
        let made = try server.send(
            "POST", "/api/v1/users",
            json: #"{"username": "rob", "password": "\#(World.password)"}"#)
        guard made.status == 201 else { throw TestFailure(made.text) }
        let token = try await server.token(of: "rob")
        let saved = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: """
                {"entries": [{"gameId": 117, "platformId": 48}, {"gameId": 71, "platformId": 6}]}
                """)
        guard saved.status == 200 else { throw TestFailure(saved.text) }
        return token
    }
}
