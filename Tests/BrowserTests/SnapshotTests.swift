import Foundation
import TestSupport
import Testing

@Suite("Someone who takes snapshots", .blocking, .thorough)
struct SnapshotTests {
    private static func put(_ games: [Int], _ token: String, _ server: TestServer) throws {
        let entries = games.map { #"{"gameId": \#($0), "platformId": 48}"# }
        let saved = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: #"{"entries": [\#(entries.joined(separator: ","))]}"#)
        try #require(saved.status == 200, "\(saved.text)")
    }

    @Test(
        "sees it again as it was, what has changed since, and deletes it",
        arguments: [true, false], [1280, 360])
    func flow(hasJavaScript: Bool, width: Int) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.resize(width: width, height: 780)
                try browser.open(server.url("/sign-up"))
                try browser.find("#username").fill("newcomer")
                try browser.find("#password").fill(World.password)
                try await browser.find("main form button").follow()
                let token = try await server.token(of: "newcomer")
                try Self.put([117, 120], token, server)

                try browser.open(server.url("/@newcomer"))
                try browser.find(".page-head .dots summary").click()
                try await browser.findLink("Take a snapshot").follow()
                try browser.find("#snapshot-title").fill("Mine, then")
                try await browser.find("#take form button").follow()
                #expect(try browser.find("main [role=status]").text.hasPrefix("Snapshot saved."))
                #expect(try browser.find("h1").text.contains("Mine, then"))
                let first = try browser.target.replacing("?saved", with: "")
                #expect(first.wholeMatch(of: /\/@newcomer\/\d{4}-1/) != nil)
                #expect(try browser.findAll(".fave").count == 2)

                try Self.put([120], token, server)
                try browser.open(server.url("/settings"))
                try await browser.findLink("Take a snapshot").follow()
                try browser.find("label[for=yearly]").click()
                try await browser.find("#automatic button").follow()
                #expect(try browser.find("main [role=status]").text.contains("every year"))
                #expect(try browser.has("#yearly:checked"))
                try await browser.find("#take form button").follow()
                #expect(try browser.find("h1").text.contains("My five, "))
                #expect(try browser.find(".fave .move").text.contains("1"))
                #expect(try browser.find(".changes").text.contains("Gone: The Last Guardian"))
                try await browser.findLink("Mine, then").follow()
                #expect(try browser.target == first)
                try await browser.findLink("See the list now").follow()
                #expect(try browser.target == "/@newcomer")
                #expect(try browser.findAll("nav.kin a").count == 2)

                try browser.open(server.url("/settings/snapshots"))
                let scrolls: Bool = try browser.evaluate(
                    "return document.documentElement.scrollWidth > innerWidth")
                #expect(!scrolls)
                try browser.find("#snapshots li:last-child summary").click()
                try await browser.find("#snapshots li:last-child .danger").follow()
                #expect(try browser.find("main [role=status]").text == "Deleted.")
                #expect(try browser.findAll("#snapshots li").count == 1)
                #expect(try server.send("GET", first).status == 404)
            }
        }
    }
}
