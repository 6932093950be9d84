import FaveGames
import Foundation
import Languages
import TestSupport
import Testing
import Views

/// What translators can't translate is seen in a pseudo-language: English with accents, in brackets and
/// longer, or from right to left.
@Suite("A page in a pseudo-language", .blocking, .thorough)
struct PseudoLanguageTests {
    /// The API's documentation is English. The operator's texts are as they are.
    private static let pages = SitePage.all.filter { !["/api", "/rules"].contains($0.target) }

    private func visitAll(
        in tag: String, width: Int, _ body: (WebDriver, SitePage) async throws -> Void
    ) async throws {
        // The browser itself asks for English.
        let settings = TestServer.forBrowsers.merging([
            "SITE_LANGUAGE": tag, "SITE_LANGUAGES": tag,
        ]) { $1 }
        let server = try await TestServer.beside(World.shared.server, settings: settings)
        do {
            try await WebDriver.run { browser in
                try browser.resize(width: width)
                try await SitePage.visitAll(Self.pages, with: browser, on: server) { page in
                    try browser.openDetails()
                    try await body(browser, page)
                }
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("has no words outside of messages, but names and what people write")
    func words() async throws {
        let names = try await Self.names()
        var seen: Set<String> = []
        try await visitAll(in: "en-XA", width: 1280) { browser, page in
            for (rest, place) in try browser.untranslated where seen.insert(rest).inserted {
                var rest = rest.replacing(#/(https?:\/\/|127\.0\.0\.1|@)[^ ]*/#, with: "")
                for name in names { rest = rest.replacing(name, with: "") }
                #expect(
                    !rest.contains { $0.isASCII && $0.isLetter }, "\(page): \(rest) in \(place)")
            }
        }
    }

    /// The names of what is in `World`, the longest first.
    private static func names() async throws -> [String] {
        let session = try await World.shared.server.database.session()
        let rows = try session.query(
            """
            SELECT display_name, NULL FROM users UNION
            SELECT name, NULL FROM circles UNION
            SELECT title, NULL FROM snapshots UNION
            SELECT name, NULL FROM apps UNION
            SELECT name, NULL FROM import_rows UNION
            SELECT shelf, NULL FROM import_rows WHERE shelf <> '' UNION
            SELECT name, NULL FROM games WHERE name LIKE 'Portal%' UNION
            SELECT g.name, NULL FROM games g JOIN entries e ON e.game_id = g.id UNION
            SELECT name, abbreviation FROM platforms
            """)
        let names: [String] = try rows.flatMap { row in
            let name: String = try row[0]
            let abbreviation: String? = try row[1]
            let platform = Platform(id: 1, slug: "", name: name, abbreviation: abbreviation)
            return [name, platform.shortName] + [abbreviation].compactMap(\.self)
        }
        return (names + [SiteIdentity().name]).sorted { $0.count > $1.count }
    }

    @Test(
        "fits the window, and so do those in each language on a narrow phone",
        arguments: [("en-XA", 1280), ("en-XA", 390), ("en-XA", 320), ("ar-XB", 390)]
            + CatalogueState.all.map { ($0.language.tag, 320) })
    func layout(tag: String, width: Int) async throws {
        try await visitAll(in: tag, width: width) { browser, page in
            let tooWide = try browser.tooWide
            #expect(tooWide.isEmpty, "\(page)")
            let tooLong = try browser.tooLong
            #expect(tooLong.isEmpty, "\(page)")
            #expect(
                try browser.evaluate("return document.documentElement.lang") == tag, "\(page)")
        }
    }
}

extension WebDriver {
    /// Controls and headings whose words are longer than their place, and so stand out of it or are cut.
    fileprivate var tooLong: [String] {
        get throws {
            try evaluate(
                """
                const kinds = "button, a.button, summary, h1, h2, h3, th, label, legend, .chip";
                return [...document.body.querySelectorAll(kinds)].filter((element) =>
                  element.checkVisibility() && !element.closest(".hidden")
                  && getComputedStyle(element).display !== "inline"
                  && element.scrollWidth > element.clientWidth + 1
                ).map((element) => `${element.scrollWidth} px: ${element.outerHTML.slice(0, 200)}`);
                """)
        }
    }

    /// Text with letters that is outside of the brackets that a pseudo-language has around each message.
    fileprivate var untranslated: [(rest: String, place: String)] {
        get throws {
            let found: [[String]] = try evaluate(
                """
                const names = "bdi, code, pre, script, style, svg, textarea, [dir=auto], [lang=en], .languages";
                const found = [];
                const outside = (text) => {
                  let depth = 0, rest = "";
                  for (const letter of text) {
                    if (letter === "[") depth += 1;
                    if (depth === 0) rest += letter;
                    if (letter === "]" && depth > 0) depth -= 1;
                  }
                  return rest;
                };
                const block = (element) => {
                  while (getComputedStyle(element).display.startsWith("inline")) element = element.parentElement;
                  return element;
                };
                const texts = new Map();
                const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                while (walker.nextNode()) {
                  const parent = walker.currentNode.parentElement;
                  const text = parent.closest(names) ? " " : walker.currentNode.data;
                  const key = block(parent);
                  texts.set(key, (texts.get(key) ?? "") + text);
                }
                for (const [element, text] of texts) {
                  const rest = outside(text);
                  if (/[A-Za-z]/.test(rest)) found.push([rest.trim(), element.outerHTML.slice(0, 160)]);
                }
                for (const name of ["alt", "aria-label", "placeholder", "title"]) {
                  for (const element of document.body.querySelectorAll(`[${name}]`)) {
                    if (element.closest(names)) continue;
                    const rest = outside(element.getAttribute(name));
                    if (/[A-Za-z]/.test(rest)) found.push([rest, element.outerHTML.slice(0, 160)]);
                  }
                }
                return found;
                """)
            return found.map { ($0[0], $0[1]) }
        }
    }
}
