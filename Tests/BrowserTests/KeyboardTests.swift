import TestSupport
import Testing

@Suite("With the keyboard", .blocking, .thorough)
struct KeyboardTests {
    @Test("the first stop is a link that skips to the content")
    func skip() async throws {
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.open(server.url("/"))
            try browser.press(.tab)
            #expect(try browser.focused.text == "Skip to content")
            let top: Double = try browser.evaluate(
                "return document.activeElement.getBoundingClientRect().top")
            #expect(top >= 0)
            try browser.press(.enter)
            #expect(try browser.focused.attribute("id") == "main")
            try browser.press(.tab)
            #expect(try browser.evaluate("return document.activeElement.closest('main') !== null"))
        }
    }

    @Test("Tab reaches everything in order, and the focus is seen", arguments: ["/", "/@rob"])
    func tabbing(target: String) async throws {
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.open(server.url(target))
            let expected: [String] = try browser.evaluate(
                """
                const selector = "a[href], button, input, select, textarea, summary, [tabindex]";
                const stops = [...document.querySelectorAll(selector)].filter((element) =>
                  element.tabIndex >= 0 && element.type !== "hidden" && element.checkVisibility());
                stops.forEach((element, index) => { element.dataset.stop = index; });
                return stops.map((element) => element.outerHTML);
                """)
            #expect(expected.count > 10)
            for (index, element) in expected.enumerated() {
                try browser.press(.tab)
                let stop: Stop = try browser.evaluate(Stop.script)
                guard stop.index == index else {
                    Issue.record("\(stop) comes instead of \(element)")
                    return
                }
                #expect(stop.isSeen, "\(element)")
            }
            // To the browser's own controls, or to the first stop if it has none.
            try browser.press(.tab)
            #expect(
                try browser.evaluate(
                    """
                    const { activeElement, body } = document;
                    return activeElement === body || activeElement.dataset.stop === "0";
                    """))
        }
    }

    @Test("one’s own menu opens and closes", arguments: [true, false], [1280, 320])
    func menu(hasJavaScript: Bool, width: Int) async throws {
        let server = try await World.shared.server
        try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
            try browser.resize(width: width, height: 844)
            try await browser.signIn(World.member, to: server)
            try browser.open(server.url("/settings"))
            let menu = try browser.find("nav.account-menu")
            #expect(try !menu.isDisplayed)
            while try browser.focused.attribute("class") != "self" { try browser.press(.tab) }
            try browser.press(.enter)
            #expect(try menu.isDisplayed)
            try browser.press(.tab)
            #expect(try browser.focused.text.hasPrefix("My list"))
            try browser.press(.escape)
            #expect(try !menu.isDisplayed)
            #expect(try browser.focused.attribute("class") == "self")
            try browser.press(.enter)
            try await browser.findLink("Following").follow()
            #expect(try browser.target == "/following")
        }
    }

    private struct Stop: Decodable {
        let index: Int
        let isSeen: Bool
        let html: String

        /// Some links cover their card, and the outline is the card's.
        static let script = """
            const element = document.activeElement;
            const hasOutline = (pseudoElement) => {
              const style = getComputedStyle(element, pseudoElement);
              const isThere = pseudoElement === null || style.content !== "none";
              return isThere && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            };
            const { width, height, top, bottom } = element.getBoundingClientRect();
            const isOnScreen = bottom > 0 && top < innerHeight && width > 1 && height > 1;
            return {
              index: Number(element.dataset.stop ?? -1),
              isSeen: isOnScreen && [null, "::after"].some(hasOutline),
              html: element.outerHTML.slice(0, 200),
            };
            """
    }
}
