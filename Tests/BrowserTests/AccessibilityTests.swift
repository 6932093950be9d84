import Foundation
import TestSupport
import Testing

@Suite("Accessibility", .blocking, .thorough)
struct AccessibilityTests {
    /// In parts, because one browser would still look long after those of all other tests have ended.
    @Test(
        "axe finds nothing wrong on any page, wide or narrow, by light or in the dark",
        arguments: 0..<4)
    func axe(part: Int) async throws {
        let axe = try Axe()
        try await WebDriver.run { browser in
            let pages = SitePage.all.enumerated().filter { $0.offset % 4 == part }.map(\.element)
            try await SitePage.visitAll(pages, with: browser) { page in
                try browser.openDetails()
                let unnamed = try browser.controlsWithoutLabel
                #expect(unnamed.isEmpty, "\(page)")
                // Looking at colours takes longest. They are the same at any width, and are all
                // that changes in the dark.
                for (width, isDark, rules) in [
                    (1280, false, Axe.Rules.all), (1280, true, .colours), (320, false, .structure),
                ] {
                    try browser.resize(width: width)
                    try browser.prefer(isDark: isDark)
                    let light = isDark ? "in the dark" : "by light"
                    for violation in try axe.violations(of: rules, in: browser) {
                        Issue.record("\(page), \(width) px wide, \(light): \(violation)")
                    }
                }
            }
        }
    }

    @Test("axe finds nothing wrong with a form that was refused")
    func refusedForm() async throws {
        let axe = try Axe()
        let server = try await World.shared.server
        try await WebDriver.run { browser in
            try browser.open(server.url("/sign-up"))
            try browser.find("#username").type(World.member)
            try browser.find("#password").type(World.password)
            try await browser.find("main form button").follow()
            #expect(try browser.focused.attribute("aria-describedby")?.contains("fault") == true)
            for violation in try axe.violations(in: browser) { Issue.record("\(violation)") }
            try browser.prefer(isDark: true)
            for violation in try axe.violations(of: .colours, in: browser) {
                Issue.record("\(violation)")
            }
        }
    }

    @Test("axe finds the colours that follow from an accent fine, by light and in the dark")
    func accent() async throws {
        let axe = try Axe()
        // As light as it may be.
        let settings = TestServer.forBrowsers.merging(["ACCENT_COLOR": "#806600"]) { $1 }
        try await TestServer.run(settings: settings) { server in
            try await WebDriver.run { browser in
                for target in ["/", "/about", "/sign-up", "/platforms?search=x", "/nothing"] {
                    for isDark in [false, true] {
                        try browser.prefer(isDark: isDark)
                        try browser.open(server.url(target))
                        for violation in try axe.violations(of: .colours, in: browser) {
                            Issue.record("\(target), \(isDark ? "dark" : "light"): \(violation)")
                        }
                    }
                }
            }
        }
    }

    @Test("axe sees what is wrong")
    func axeSeesWhatIsWrong() async throws {
        let axe = try Axe()
        try await WebDriver.run { browser in
            try browser.open(
                "data:text/html,<p style='color:%23bbb;background:white'>Pale</p><input>")
            let rules = try axe.violations(in: browser).map(\.id)
            for rule in ["color-contrast", "label", "html-has-lang", "region"] {
                #expect(rules.contains(rule), "\(rules)")
            }
            #expect(try browser.controlsWithoutLabel.count == 1)
            let colours = try axe.violations(of: .colours, in: browser).map(\.id)
            #expect(colours == ["color-contrast"])
            let structure = try axe.violations(of: .structure, in: browser).map(\.id)
            #expect(structure == rules.filter { $0 != "color-contrast" })
        }
    }
}

extension WebDriver {
    /// Axe takes a placeholder for a name, but that goes away as someone types.
    fileprivate var controlsWithoutLabel: [String] {
        get throws {
            try evaluate(
                """
                return [...document.querySelectorAll("input, select, textarea")].filter((control) =>
                  !["hidden", "submit"].includes(control.type)
                  && !control.closest("[aria-hidden=true]")
                  && control.labels.length === 0
                  && !control.matches("[aria-label], [aria-labelledby]")
                ).map((control) => control.outerHTML);
                """)
        }
    }
}

/// axe-core, which `script/setup --test-all` installs.
struct Axe {
    private let script: String

    init() throws {
        let tools = TestDatabase.repository + "/.run/test-tools/lib"
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: tools)) ?? []
        let scripts = folders.map {
            "\(tools)/\($0)/site-packages/axe_playwright_python/axe.min.js"
        }
        guard let found = scripts.first(where: FileManager.default.fileExists) else {
            throw TestFailure("axe-core is not installed: run script/setup --test-all")
        }
        script = try String(contentsOfFile: found, encoding: .utf8)
    }

    /// A rule that the page breaks, and where.
    struct Violation: Decodable, CustomStringConvertible {
        struct Node: Decodable {
            let html: String
            let failureSummary: String
        }

        let id: String
        let help: String
        let nodes: [Node]

        var description: String {
            "\(id): \(help)\n"
                + nodes.prefix(5).map { "\($0.html)\n\($0.failureSummary)" }
                .joined(separator: "\n")
        }
    }

    enum Rules: String {
        /// Structure and colours.
        case all
        case structure, colours
    }

    func violations(of rules: Rules = .all, in browser: WebDriver) throws -> [Violation] {
        if try browser.evaluate("return window.axe === undefined") { try browser.run(script) }
        return try browser.evaluate(
            """
            const [rules] = arguments;
            const tags = [
              "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice",
            ];
            const colours = ["color-contrast", "link-in-text-block"];
            const options = {
              runOnly: rules === "colours" ? colours : tags,
              rules: rules === "structure"
                ? Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])) : {},
              resultTypes: ["violations"], selectors: false, preload: false,
            };
            const { violations } = await axe.run(options);
            return violations.map(({ id, help, nodes }) => ({
              id, help,
              nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
            }));
            """, rules.rawValue)
    }
}
