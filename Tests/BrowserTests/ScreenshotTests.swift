import Foundation
import Storage
import StorageWrites
import TestSupport
import Testing

/// How pages look, compared with how they looked when that was last recorded: each wide and in the
/// light, and narrow and in the dark.
///
/// `RECORD_SNAPSHOTS=1 script/test --all -- --filter Screenshot` records them again, in `Screenshots`:
/// look at them before you commit them.
@Suite("The look of a page", .blocking, .thorough, .needs(.recordedLook))
struct ScreenshotTests {
    private struct Page {
        let name: String
        let target: String
        /// The letter of the session in `site.sql`; `nil` for someone who isn't signed in.
        var session: String?
    }

    private static let pages = [
        Page(name: "home", target: "/"),
        Page(name: "ranking", target: "/platforms/ps4--1"),
        Page(name: "platform-game", target: "/platforms/ps4--1/games/120"),
        Page(name: "list", target: "/@rob", session: "a"),
        Page(name: "list-right-to-left", target: "/@noa"),
        Page(name: "snapshot", target: "/@rob/2024-1"),
        Page(name: "entries", target: "/entries"),
        Page(name: "circle", target: "/circles/club-co"),
        Page(name: "editor", target: "/me", session: "a"),
        Page(name: "settings", target: "/settings", session: "R"),
        Page(name: "sign-up", target: "/sign-up"),
        Page(name: "report", target: "/report?entry=00000000-0000-4000-8000-000000000101"),
    ]

    private enum Look: String, CaseIterable {
        case wide, narrow

        var width: Int { self == .wide ? 1200 : 400 }
        var isDark: Bool { self == .narrow }
    }

    private static let folder = TestDatabase.repository + "/Tests/BrowserTests/Screenshots"
    private static let isRecording =
        ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil

    /// The site that the snapshots of pages are taken of.
    private static func run(_ body: (TestServer, WebDriver) async throws -> Void) async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        let site = TestDatabase.repository + "/Tests/WebTests/Pages/Recorded/site.sql"
        try session.execute(String(contentsOfFile: site, encoding: .utf8))
        // The server takes it that these have just been done, and doesn't change the site.
        for task in MaintenanceTask.allCases {
            try session.query("INSERT INTO maintenance (task) VALUES ($1)", [.text(task.name)])
        }
        let server = try await TestServer.on(database, settings: TestServer.forBrowsers)
        do {
            try await WebDriver.run { try await body(server, $0) }
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func open(
        _ page: Page, _ look: Look, _ server: TestServer, _ browser: WebDriver, adding css: String
    ) throws {
        try browser.resize(width: look.width, height: 1600)
        try browser.prefer(isDark: look.isDark)
        try browser.open(server.url("/assets/favicon.svg"))
        try browser.run(
            "document.cookie = arguments[0]",
            page.session.map {
                "fave-games-80-session=\(String(repeating: $0, count: 42))A; path=/"
            }
                ?? "fave-games-80-session=; path=/; max-age=0")
        try browser.open(server.url(page.target))
        try browser.settle(adding: css)
    }

    @Test("is as it was recorded")
    func pages() async throws {
        try await Self.run { server, browser in
            for page in Self.pages {
                for look in Look.allCases {
                    try Self.open(page, look, server, browser, adding: "")
                    let png = try browser.screenshot()
                    let file = URL(fileURLWithPath: "\(Self.folder)/\(page.name)-\(look).png")
                    guard !Self.isRecording else {
                        try browser.coarse(png).write(to: file)
                        continue
                    }
                    let damage = try browser.difference(png, from: Data(contentsOf: file))
                    guard !damage.isEmpty else { continue }
                    let seen = FileManager.default.temporaryDirectory
                        .appending(path: "\(page.name)-\(look).png")
                    try png.write(to: seen)
                    Issue.record("\(page.name), \(look): \(damage). It is now \(seen.path)")
                }
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(
            Set(files)
                == Set(
                    Self.pages.flatMap { page in
                        Look.allCases.map { "\(page.name)-\($0).png" }
                    }))
    }

    @Test(
        "is seen to be damaged",
        arguments: [
            // Each of these was so once, or is as small as that.
            "blockquote { padding-inline-start: 1rem; border-inline-start: 3px solid var(--line) }",
            ".bar { display: none }", "h2 { color: var(--card) }",
        ])
    func damage(css: String) async throws {
        guard !Self.isRecording else { return }
        let ranking = try #require(Self.pages.first { $0.name == "ranking" })
        try await Self.run { server, browser in
            for look in Look.allCases {
                try Self.open(ranking, look, server, browser, adding: css)
                let file = URL(fileURLWithPath: "\(Self.folder)/ranking-\(look).png")
                let damage = try browser.difference(
                    browser.screenshot(), from: Data(contentsOf: file))
                #expect(!damage.isEmpty, "\(look)")
            }
        }
    }
}

extension WebDriver {
    /// Makes a page look the same on all machines: text is in the site's own font, and has only the
    /// letters that this font has.
    ///
    /// - Parameter css: Rules to add to the page's own.
    fileprivate func settle(adding css: String) throws {
        try run(
            """
            const faces = [
              ["noto-serif", "U+20-7E, U+2013-2014, U+2018-2019, U+201C-201D, U+2026"],
              ["noto-serif-latin", "U+A0-17F"],
            ].map(([name, range]) =>
              new FontFace("Fixed", `url(/assets/${name}.woff2)`, { unicodeRange: range }));
            for (const face of faces) document.fonts.add(await face.load());
            for (const element of document.querySelectorAll("[dir=auto], bdi")) {
              element.dir = getComputedStyle(element).direction;
            }
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const text = texts.currentNode;
              text.data = text.data.replace(
                /[^\\s\\u0020-\\u007E\\u00A0-\\u017F\\u2013\\u2014\\u2018\\u2019\\u201C\\u201D\\u2026]/gu, "x");
            }
            // Signs before and behind elements, such as arrows, are also of whatever fonts a machine has.
            for (const element of document.querySelectorAll("body *")) {
              for (const part of ["before", "after"]) {
                const { content } = getComputedStyle(element, `::${part}`);
                if (/[^\\u0020-\\u007E\\u00A0-\\u017F]/u.test(content)) element.setAttribute(`data-${part}`, "");
              }
            }
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(
              "*, ::before, ::after { font-family: Fixed !important; caret-color: transparent; }"
              + "[data-before]::before, [data-after]::after { content: ' x' !important; }"
              + arguments[0]);
            document.adoptedStyleSheets = [sheet];
            await document.fonts.ready;
            document.activeElement?.blur();
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            await frame();
            await frame();
            """, css)
    }

    /// Reads a picture, and makes one pixel of four by four: their brightness.
    private static let brightness = """
        const read = async (png) => {
          const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
          const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          const context = canvas.getContext("2d");
          context.drawImage(picture, 0, 0);
          return context.getImageData(0, 0, picture.width, picture.height);
        };
        const brightness = ({ data, width }, x, y) => {
          const at = 4 * (y * width + x);
          return 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
        };
        const coarse = async (png) => {
          const picture = await read(png);
          const made = new ImageData(picture.width / 4, picture.height / 4);
          for (let y = 0; y < made.height; y++) {
            for (let x = 0; x < made.width; x++) {
              let sum = 0;
              for (let part = 0; part < 16; part++) {
                sum += brightness(picture, 4 * x + part % 4, 4 * y + (part >> 2));
              }
              made.data.set(
                [sum / 16, sum / 16, sum / 16, 255], 4 * (y * made.width + x));
            }
          }
          return made;
        };

        """

    /// What is recorded of a screenshot.
    fileprivate func coarse(_ png: Data) throws -> Data {
        try open("about:blank")
        let made: String = try evaluate(
            Self.brightness + """
                const picture = await coarse(arguments[0]);
                const canvas = new OffscreenCanvas(picture.width, picture.height);
                canvas.getContext("2d").putImageData(picture, 0, 0);
                const blob = await canvas.convertToBlob({ type: "image/png" });
                const bytes = new Uint8Array(await blob.arrayBuffer());
                return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
                """, png.base64EncodedString())
        return Data(base64Encoded: made) ?? Data()
    }

    /// Where a screenshot differs from a recorded one by more than how edges are smoothed.
    ///
    /// - Returns: Empty if it doesn't.
    fileprivate func difference(_ png: Data, from recorded: Data) throws -> String {
        try open("about:blank")
        return try evaluate(
            Self.brightness + """
                const [now, before] = [await coarse(arguments[0]), await read(arguments[1])];
                if (now.width !== before.width || now.height !== before.height) {
                  return `${now.width} × ${now.height} instead of ${before.width} × ${before.height}`;
                }
                const places = [];
                for (let y = 0; y < now.height; y++) {
                  for (let x = 0; x < now.width; x++) {
                    if (Math.abs(brightness(now, x, y) - brightness(before, x, y)) > 20) {
                      places.push([x, y]);
                    }
                  }
                }
                if (places.length <= 100) return "";
                const [xs, ys] = [0, 1].map((axis) => places.map((place) => 4 * place[axis]));
                const range = (values) =>
                  values.reduce(([least, most], value) =>
                    [Math.min(least, value), Math.max(most, value)], [Infinity, 0]).join(" to ");
                return `${places.length} of ${now.width * now.height} places differ, `
                  + `from left ${range(xs)}, from the top ${range(ys)}`;
                """, png.base64EncodedString(), recorded.base64EncodedString())
    }
}
