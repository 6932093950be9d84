import TestSupport
import Testing

@Suite("The browser of the tests", .blocking, .thorough)
struct WebDriverTests {
    private static let dragging = """
        data:text/html,<!doctype html><style>li { height: 60px; touch-action: none }</style>\
        <ol><li>One<li>Two<li>Three</ol><script>\
        let held = null;\
        addEventListener('pointerdown', (event) => { held = event.target.closest('li'); });\
        addEventListener('pointermove', (event) => {\
          const over = document.elementFromPoint(event.x, event.y)?.closest('li');\
          if (held && over && over !== held) over.after(held);\
        });\
        addEventListener('pointerup', (event) => { document.title = event.pointerType; held = null });\
        </script>
        """

    @Test("drags by pointer events")
    func drag() async throws {
        try await WebDriver.run { browser in
            let canTouch = BrowserEngine.current.can(.touch)
            for pointer in canTouch ? [PointerType.mouse, .touch] : [.mouse] {
                try browser.open(Self.dragging)
                let items = try browser.findAll("li")
                try browser.drag(items[0], to: items[2], offset: 10, with: pointer)
                try await browser.wait(for: "the end") { try browser.title == pointer.rawValue }
                #expect(try browser.findAll("li").map { try $0.text } == ["Two", "Three", "One"])
            }
        }
    }

    @Test("has tabs that share their cookies")
    func tabs() async throws {
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.open(server.url("/"))
            let first = try browser.tab
            let second = try browser.openTab(server.url("/sign-in"))
            #expect(first != second)
            try await browser.signIn(World.member, to: server)
            try browser.go(to: first)
            #expect(try !browser.has("nav.account-menu"))
            try browser.reload()
            #expect(try browser.has("nav.account-menu"))
            try browser.go(to: second)
            try browser.closeTab()
            try browser.go(to: first)
            #expect(try browser.target == "/")
        }
    }

    @Test("responds to dialogs")
    func dialogs() async throws {
        try await WebDriver.run { browser in
            try browser.open(
                "data:text/html,<button onclick=\"document.title = confirm('Sure?')\">Ask</button>")
            for isSure in [true, false] {
                try browser.find("button").click()
                #expect(try browser.dialogText == "Sure?")
                if isSure { try browser.acceptDialog() } else { try browser.dismissDialog() }
                #expect(try browser.title == "\(isSure)")
            }
        }
    }

    @Test("presses combinations of keys")
    func keys() async throws {
        try await WebDriver.run { browser in
            try browser.open(
                """
                data:text/html,<input autofocus><script>\
                onkeydown = (event) => { document.title = `${event.altKey} ${event.key}`; };</script>
                """)
            let input = try browser.find("input")
            try input.click()
            try browser.type("héllo")
            #expect(try input.property("value") == "héllo")
            try browser.press("a", holding: .control)
            try browser.press(.backspace)
            #expect(try input.property("value") == "")
            try browser.press(.arrowUp, holding: .alt)
            #expect(try browser.title == "true ArrowUp")
        }
    }

    @Test("can be told what a person likes better")
    func preferences() async throws {
        try await WebDriver.run { browser in
            try browser.open("data:text/html,<title>No</title>")
            func matches(_ feature: String) throws -> Bool {
                try browser.evaluate("return matchMedia(arguments[0]).matches", "(\(feature))")
            }
            #expect(try matches("prefers-reduced-motion: reduce"))
            #expect(try matches("prefers-color-scheme: light"))
            try browser.prefer(isDark: true, hasReducedMotion: false)
            #expect(try matches("prefers-reduced-motion: no-preference"))
            #expect(try matches("prefers-color-scheme: dark"))
            try browser.resize(width: 320, height: 200)
            #expect(try browser.evaluate("return [innerWidth, innerHeight]") == [320, 200])
            #expect(try browser.screenshot().starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
        try await WebDriver.run(.init(hasJavaScript: false)) { browser in
            try browser.open(
                "data:text/html,<title>Off</title><script>document.title='On'</script>")
            #expect(try browser.title == "Off")
        }
    }

    @Test("says on which page something failed")
    func failures() async throws {
        try await WebDriver.run { browser in
            try browser.open("data:text/html,<title>Here</title><p>Some words")
            let failure = try #require(throws: TestFailure.self) {
                try browser.run("return nothing.there")
            }
            #expect(failure.description.contains("nothing"))
            #expect(failure.description.contains("“Here”: Some words"))
        }
    }

    @Test("reaches nothing but the loopback")
    func isolation() async throws {
        try await WebDriver.run { browser in
            // One that would be this machine if names were looked up.
            for url in ["http://localhost.example/", "http://127.0.0.1.nip.io/"] {
                do {
                    try browser.open(url)
                    #expect(try browser.find("body").text.contains("Could not connect to proxy"))
                } catch let failure as TestFailure {
                    let reasons = ["ERR_NAME_NOT_RESOLVED", "proxyConnectFailure"]
                    #expect(reasons.contains { failure.description.contains($0) }, "\(failure)")
                }
            }
        }
    }
}
