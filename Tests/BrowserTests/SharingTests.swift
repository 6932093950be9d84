import TestSupport
import Testing

@Suite("The page to share from", .blocking, .thorough)
struct SharingTests {
    /// Stands in for the browser's sheet, and keeps what it is handed.
    private static func sheet(takesFiles: Bool) -> String {
        """
        window.shared = [];
        AbortSignal.timeout = () => new AbortController().signal; // a busy machine may take longer
        Object.defineProperty(navigator, "share", { value: async (data) => { shared.push(data); } });
        Object.defineProperty(navigator, "canShare", { value: ({ files }) => !files || \(takesFiles) });
        """
    }

    private static let lastShared = """
        const data = shared.at(-1);
        const files = (data?.files ?? []).map((file) => `${file.name} ${file.type} ${file.size > 9999}`);
        return [data?.title, data?.text, data?.url, ...files].map((part) => `${part}`);
        """

    private func withSharePage(
        takesFiles: Bool, _ body: (WebDriver, String) async throws -> Void
    ) async throws {
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.resize(width: 390, height: 844)
            try browser.open(server.url("/@rob/share"))
            // The page again, in a window that has the sheet. A window runs each script once, so these
            // get other addresses.
            try browser.run(
                """
                const page = await (await fetch(location.href)).text();
                \(Self.sheet(takesFiles: takesFiles))
                document.open();
                document.write(page.replaceAll(".js?", ".js?again&"));
                document.close();
                """)
            try await browser.wait(for: "the page") {
                try browser.evaluate("return document.readyState === 'complete'")
            }
            try await body(browser, try browser.find("#link").property("value") ?? "")
        }
    }

    private func share(_ selector: String, _ browser: WebDriver) async throws -> [String] {
        let before: Int = try browser.evaluate("return shared.length")
        try browser.find(selector).click()
        try await browser.wait(for: "the sheet") {
            let count: Int = try browser.evaluate("return shared.length")
            return count == before + 1
        }
        return try browser.evaluate(Self.lastShared)
    }

    @Test("hands over the picture that is shown, with the text and the link")
    func files() async throws {
        try await withSharePage(takesFiles: true) { browser, link in
            let title = try browser.find(".share").attribute("data-title") ?? ""
            let all = ".share .tools button"
            #expect(
                try await share(all, browser) == [
                    title, title, link, "fave-games-rob-portrait-light.jpg image/jpeg true",
                ])
            try browser.find("[name=theme][value=dark]").click()
            #expect(
                try await share(all, browser).last
                    == "fave-games-rob-portrait-dark.jpg image/jpeg true")
            // Each picture has its own.
            #expect(
                try await share(".formats [data-theme=dark]:nth-child(6) button", browser).last
                    == "fave-games-rob-poster-dark.jpg image/jpeg true")
        }
    }

    @Test("hands over the link alone where a picture can't be had, or the browser takes none")
    func links() async throws {
        try await withSharePage(takesFiles: true) { browser, link in
            try browser.run("window.fetch = async () => new Response('', { status: 503 })")
            let shared = try await share(".share .tools button", browser)
            #expect(shared.count == 3 && shared[2] == link)
        }
        try await withSharePage(takesFiles: false) { browser, link in
            #expect(try !browser.has(".formats button"))
            let shared = try await share(".share .tools button", browser)
            #expect(shared.count == 3 && shared[2] == link)
        }
    }

    @Test(
        "shows the pictures on the chosen background, also without a script",
        arguments: [true, false])
    func themes(hasJavaScript: Bool) async throws {
        let server = try await World.shared.server
        try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
            try browser.open(server.url("/@rob/share"))
            func shown() throws -> [String] {
                try browser.findAll(".formats a").filter { try $0.isDisplayed }.compactMap {
                    try $0.attribute("download")
                }
            }
            let formats = ["portrait", "story", "poster"]
            let wide = "fave-games-rob-wide.png"
            #expect(try shown() == formats.map { "fave-games-rob-\($0)-light.jpg" } + [wide])
            try browser.find("[name=theme][value=dark]").click()
            #expect(try shown() == formats.map { "fave-games-rob-\($0)-dark.jpg" } + [wide])
        }
    }
}
