import TestSupport
import Testing

@Suite("Someone with a browser", .timeLimit(.minutes(2)))
struct JourneyTests {
    @Test("signs up, and deletes the account again", arguments: [true, false])
    func account(hasJavaScript: Bool) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.open(server.url("/"))
                try await browser.findLink("Sign up").follow()
                try browser.find("#username").type("newcomer")
                try browser.find("#password").type("short")
                try browser.find("main form button").click()
                // The browser itself refuses to send it.
                #expect(try browser.has("#password:invalid"))
                try browser.find("#password").fill(World.password)
                try await browser.find("main form button").follow()
                #expect(try browser.target == "/@newcomer")
                #expect(try browser.find("h1").text.contains("newcomer"))

                try await browser.findLink("Settings").follow()
                try browser.find("#display-name").fill("New Comer")
                try await browser.find("#profile button").follow()
                #expect(try browser.find("main [role=status]").text == "Saved.")
                #expect(try browser.find("nav.viewer bdi").text == "New Comer")

                try browser.find("#delete summary").click()
                try browser.find("#delete-username").type("newcomer")
                try browser.find("#delete-password").type("tulip staple 43")
                try await browser.find("#delete button").follow()
                #expect(try browser.find("#delete-password-fault").text.contains("Wrong password"))
                #expect(try browser.focused.attribute("id") == "delete-password")
                try browser.find("#delete-username").fill("newcomer")
                try browser.find("#delete-password").fill(World.password)
                try await browser.find("#delete button").follow()
                #expect(try browser.target == "/")
                #expect(try !browser.has("nav.viewer"))
                #expect(try server.send("GET", "/@newcomer").status == 404)
            }
        }
    }

    @Test("finds a game and puts it on their list", arguments: [true, false])
    func add(hasJavaScript: Bool) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try Browser(server).signUp("rob", password: World.password)
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/"))
                try browser.find("#home-search").type("hollow knight")
                try await browser.follow { try browser.press(.enter) }
                #expect(try browser.target == "/games?search=hollow+knight")
                try await browser.findLink("Hollow Knight").follow()
                #expect(try browser.target == "/games/14593")
                try browser.find("#add-platform").type("Nintendo")
                try browser.find("#add-comment").type("Every corner is a secret.\n<b>Really</b>.")
                try await browser.find("#add ~ form button").follow()
                #expect(try browser.target == "/@rob#1")
                #expect(try browser.find(".fave h2").text == "Hollow Knight")
                #expect(try browser.find(".fave .chip").text.contains("Nintendo Switch"))
                #expect(
                    try browser.find(".fave .words").text
                        .contains("Every corner is a secret.\n<b>Really</b>."))
            }
        }
    }

    @Test("is suggested games while typing, and takes one with the keyboard")
    func suggestions() async throws {
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.open(server.url("/"))
            let input = try browser.find("#home-search")
            try input.type("hollow kni")
            try await browser.wait(for: "suggestions") { try browser.areSuggestionsShown }
            #expect(try input.attribute("aria-expanded") == "true")
            #expect(try input.attribute("aria-activedescendant") == nil)
            let games = try browser.findAll("[role=option] bdi").map { try $0.text }
            #expect(games.contains("Hollow Knight"))

            try browser.press(.escape)
            #expect(try !browser.areSuggestionsShown)
            #expect(try input.attribute("aria-expanded") == "false")
            #expect(try browser.focused.attribute("id") == "home-search")

            try input.type("g")
            try await browser.wait(for: "suggestions") { try browser.areSuggestionsShown }
            try browser.press(.arrowDown)
            let chosen = try browser.find("[role=option][aria-selected=true]")
            #expect(try chosen.attribute("id") == input.attribute("aria-activedescendant"))
            let game = try browser.find("[role=option][aria-selected=true] bdi").text
            try await browser.follow { try browser.press(.enter) }
            #expect(try browser.target.hasPrefix("/games/"))
            #expect(try browser.find("h1 bdi").text == game)
        }
    }
}

extension WebDriver {
    fileprivate var areSuggestionsShown: Bool {
        get throws {
            try evaluate(
                "return document.querySelector('[role=listbox]')?.checkVisibility() ?? false")
        }
    }
}
