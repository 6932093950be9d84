import TestSupport
import Testing

@Suite("Someone with a browser", .blocking, .thorough)
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

                try browser.find(".self").click()
                try await browser.findLink("Settings").follow()
                try browser.find("#display-name").fill("New Comer")
                try await browser.find("#profile button").follow()
                #expect(try browser.find("main [role=status]").text == "Saved.")
                try browser.find(".self").click()
                #expect(try browser.find("nav.account-menu bdi").text == "New Comer")
                try browser.press(.escape)
                #expect(try !browser.find("nav.account-menu bdi").isDisplayed)

                try browser.find("#delete summary").click()
                try browser.find("#delete-username").type("newcomer")
                try browser.find("#delete-password").type("tulip staple 43")
                try await browser.find("#delete button").follow()
                #expect(try browser.find("#delete-password-fault").text.contains("Wrong password"))
                #expect(try browser.focused.attribute("id") == "delete-password")
                try browser.find("#delete-username").fill("newcomer")
                try browser.find("#delete-password").fill(World.password)
                try await browser.find("#delete button").follow()
                #expect(try browser.target == "/?done=account-deleted")
                #expect(try browser.find("main [role=status]").text.contains("been deleted"))
                #expect(try !browser.has("nav.account-menu"))
                #expect(try server.send("GET", "/@newcomer").status == 404)
            }
        }
    }

    @Test(
        "begins a list, signs up to save it, and shares it",
        arguments: [true, false], [1280, 390])
    func begin(hasJavaScript: Bool, width: Int) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.resize(width: width, height: 844)
                try browser.open(server.url("/"))
                #expect(try browser.findAll(".places a").count == 5)
                try browser.find("#home-search").type("hollow knight")
                try await browser.follow { try browser.press(.enter) }
                #expect(try browser.target == "/me?search=hollow+knight")
                try browser.run("document.querySelector('.results button').focus()")
                try await browser.follow { try browser.press(.enter) }
                if hasJavaScript {
                    try browser.findAll(".where button").first { try $0.text == "Switch" }?.click()
                } else {
                    #expect(try browser.focused.attribute("name") == "platform")
                    try browser.find("[name=platform]").type("Switch")
                }
                try browser.find(".why-field > summary").click()
                try browser.find("textarea").type("Every corner is a secret.\n<b>Really</b>.")
                if hasJavaScript {
                    // It is there again, even if the page was left.
                    try browser.open(server.url("/games/71"))
                    try await browser.findLink("Add to your list").follow()
                    try await browser.wait(for: "both games") {
                        try browser.findAll("[data-slots] .title bdi").map { try $0.text }
                            == ["Hollow Knight", "Portal"]
                    }
                    // Also if the page is loaded again, which would add the game once more.
                    try browser.findAll(".why-field > summary")[1].click()
                    try browser.findAll("textarea")[1].type("Cake.")
                    try browser.open(server.url("/me?add=71"))
                    try await browser.wait(for: "what was typed") {
                        try browser.findAll("[data-slots] textarea").map {
                            try $0.property("value")
                        }
                            == ["Every corner is a secret.\n<b>Really</b>.", "Cake."]
                    }
                    try browser.run("document.querySelectorAll(\"[value^='remove:']\")[1].focus()")
                    try browser.press(.enter)
                }
                try await browser.find("[value=save]").follow()
                #expect(try browser.find(".notice").text.contains("save your five"))
                try browser.find("#username").type("newcomer")
                try browser.find("#password").type(World.password)
                try await browser.find("main form button").follow()
                #expect(try browser.target == "/@newcomer/share?saved")
                #expect(try browser.find(".preview").property("naturalWidth") == "1200")
                #expect(try browser.findAll(".formats a").count == 7)

                try await browser.findLink("View your list").follow()
                #expect(try browser.find(".fave h2").text == "Hollow Knight")
                #expect(try browser.find(".fave .chip").text.contains("Switch"))
                #expect(
                    try browser.find(".fave .words").property("textContent")?
                        .contains("Every corner is a secret.\n<b>Really</b>.") == true)
                if hasJavaScript {
                    try browser.open(server.url("/me"))
                    let isForgotten: Bool = try browser.evaluate(
                        "return localStorage.length === 0")
                    #expect(isForgotten)
                }
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
            // Loading the page again does not add it a second time.
            #expect(try browser.target == "/me")
            #expect(try browser.find("[data-slots] .title bdi").text == game)
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
