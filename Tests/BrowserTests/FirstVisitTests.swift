import TestSupport
import Testing

@Suite("The first visit with a phone", .blocking, .thorough)
struct FirstVisitTests {
    /// What people touch; typing isn't counted.
    private final class Thumb {
        let browser: WebDriver
        private(set) var taps = 0

        init(_ browser: WebDriver) { self.browser = browser }

        func tap(_ selector: String) throws {
            taps += 1
            let element = try browser.find(selector)
            // The bar to save with may lie above it. To scroll is no tap.
            try browser.run("arguments[0].scrollIntoView({ block: 'center' })", element)
            try element.click()
        }
    }

    private static let suggestion = "[role=listbox]:not([hidden]) [role=option]"

    @Test(
        "takes few taps from the home page to a saved list of five, and one more for each reason",
        arguments: [(reasons: 0, taps: 11), (reasons: 5, taps: 15)])
    func taps(reasons: Int, taps: Int) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run { browser in
                try browser.resize(width: 390, height: 844)
                try browser.open(server.url("/"))
                let thumb = Thumb(browser)
                try thumb.tap("#home-search")
                try await suggest("hollow kni", "#home-search", browser)
                try await browser.follow { try thumb.tap(Self.suggestion) }
                try thumb.tap(".where button")
                for text in ["celeste", "tetris", "portal 2", "elden"] {
                    // The focus is where the next game is typed.
                    #expect(try browser.focused.attribute("id") == "find", "\(text)")
                    try await suggest(text, "#find", browser)
                    try thumb.tap(Self.suggestion)
                    if try browser.has(".where .links") { try thumb.tap(".where button") }
                }
                let height: Int = try browser.evaluate(
                    "return document.documentElement.scrollHeight")
                #expect(height <= 844 * 5 / 3, "one screen and two thirds")
                for place in 0..<reasons {
                    // Number one's is open.
                    if place > 0 {
                        try thumb.tap("li:nth-child(\(place + 1)) > .entry .why-field > summary")
                    }
                    #expect(try browser.focused.attribute("id") == "comment-new-\(place + 1)")
                    try browser.focused.type("The ending, and what came after")
                }
                try await browser.follow { try thumb.tap("[value=save]") }
                try thumb.tap("#username")
                try browser.find("#username").type("newcomer")
                try thumb.tap("#password")
                try browser.find("#password").type(World.password)
                try await browser.follow { try thumb.tap("main form button") }
                #expect(try browser.target == "/@newcomer/share?saved")
                let list = try server.send("GET", "/@newcomer").text
                #expect(list.contains("Elden Ring"))
                #expect(list.matches(of: /and what came after<\/p>/).count == reasons)
                // One is for the platform of Tetris, which isn't on the one of the others.
                #expect(thumb.taps <= taps + 1, "\(thumb.taps)")
            }
        }
    }

    private func suggest(_ text: String, _ input: String, _ browser: WebDriver) async throws {
        try browser.find(input).type(text)
        try await browser.wait(for: "suggestions for \(text)") {
            try browser.has("[role=listbox]:not([hidden]) [role=option]")
        }
    }

    @Test("has rows that look the same whether the script or the server makes them")
    func rows() async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run { browser in
                let rows = """
                    return [...document.querySelectorAll("[data-slot]")].map((row) =>
                      [row.querySelector(".title").innerText, row.querySelector(".frame text").textContent,
                       row.querySelector(".frame svg").getAttribute("class")].join("|"))
                    """
                try browser.open(server.url("/me"))
                for text in ["hollow kni", "portal 2", "the last of us"] {
                    try await suggest(text, "#find", browser)
                    try browser.find(Self.suggestion).click()
                }
                let made: [String] = try browser.evaluate(rows)
                #expect(made.count == 3)
                // A button that the script leaves to the server.
                try await browser.follow {
                    try browser.run("document.querySelector('[value=find]').click()")
                }
                let drawn: [String] = try browser.evaluate(rows)
                #expect(drawn == made)
            }
        }
    }
}
