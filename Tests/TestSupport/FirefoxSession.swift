import Foundation
import Synchronization

/// A headless Firefox, driven by Marionette. Tests have it one after the other, each with a new tab
/// and no data of those before.
final class FirefoxSession: BrowserSession {
    static let programs = ["firefox-esr", "firefox"]

    private struct Browser: Sendable {
        let program: KeptProgram
        let marionette: Marionette
    }

    private let browser: Browser
    /// Whether it has what the next test would have, too.
    private let isChanged = Atomic(false)

    init(_ preferences: WebDriver.Preferences) throws {
        browser = try Self.browsers.take()
        // Marionette takes what WebDriver has within "alwaysMatch".
        _ = try send(.begin, Self.capabilities)
        try runInBrowser(
            """
            const [fontSize, hasJavaScript] = arguments;
            const tab = gBrowser.addTrustedTab("about:blank");
            gBrowser.selectedTab = tab;
            for (const other of [...gBrowser.tabs]) {
              if (other !== tab) gBrowser.removeTab(other, { skipPermitUnload: true });
            }
            await new Promise((done) => Services.clearData.deleteData(
              Ci.nsIClearDataService.CLEAR_ALL, { onDataDeleted: done }));
            for (const name of ["x-western", "x-unicode"]) {
              Services.prefs.setIntPref(`font.size.variable.${name}`, fontSize);
            }
            tab.linkedBrowser.browsingContext.allowJavascript = hasJavaScript;
            """, preferences.fontSize, preferences.hasJavaScript)
        guard let tab = (try send(.tabs, [:]) as? [String])?.first else {
            throw TestFailure("Firefox has no tab")
        }
        _ = try send(.goToTab, ["handle": tab])
        try prefer(isDark: false, hasReducedMotion: true)
        try resize(width: 1280, height: 800)
        _ = try takeLog()
    }

    private static let browsers = BrowserPool {
        let command = [
            try KeptProgram.program(programs), "--headless", "--marionette",
            "--remote-allow-system-access", "--no-remote", "--profile", "profile",
        ]
        // The window has to have room for the largest page that tests look at.
        let environment = [
            "MOZ_HEADLESS_WIDTH": "2000", "MOZ_HEADLESS_HEIGHT": "2400",
            "MOZ_CRASHREPORTER_DISABLE": "1",
        ]
        let program = try KeptProgram(command, environment: environment) { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/profile", withIntermediateDirectories: false)
            try Data(settings.utf8).write(to: URL(filePath: folder + "/profile/user.js"))
        }
        let port = try program.wait(for: "its port") {
            program.text(of: "profile/MarionetteActivePort").flatMap { Int($0) }
        }
        return Browser(program: program, marionette: try Marionette(port: port))
    }

    /// Nothing but the loopback can be reached: everything else is asked of a proxy that isn't there.
    private static let settings = """
        user_pref("marionette.port", 0);
        user_pref("network.proxy.type", 1);
        user_pref("network.proxy.http", "127.0.0.1");
        user_pref("network.proxy.http_port", 9);
        user_pref("network.proxy.ssl", "127.0.0.1");
        user_pref("network.proxy.ssl_port", 9);
        user_pref("network.proxy.no_proxies_on", "127.0.0.1, localhost, .localhost");
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("browser.startup.page", 0);
        user_pref("browser.newtabpage.enabled", false);
        user_pref("signon.rememberSignons", false);
        user_pref("security.webauth.webauthn_enable_usbtoken", false);
        user_pref("security.webauth.webauthn_enable_softtoken", true);
        user_pref("dom.ipc.processCount", 1);
        user_pref("dom.ipc.processPrelaunch.enabled", false);
        user_pref("fission.autostart", false);
        user_pref("widget.gtk.overlay-scrollbars.enabled", true);
        user_pref("ui.useOverlayScrollbars", 1);

        """

    func send(_ command: WebDriverCommand, _ parameters: [String: Any]) throws -> Any {
        var parameters = parameters
        switch command.name {
        // Firefox itself hears of a new page a moment later than those who look at the page.
        case WebDriverCommand.url.name:
            return try execute(
                """
                if (document.readyState === "loading") {
                  await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
                }
                return location.href;
                """)
        case WebDriverCommand.title.name: return try execute("return document.title")
        case WebDriverCommand.execute.name:
            // WebDriver's scripts may wait, Marionette's may not.
            let script = parameters["script"] as? String ?? ""
            parameters["script"] =
                "return (async function () {\n\(script)\n}).apply(null, arguments)"
        case WebDriverCommand.screenshot.name: parameters["full"] = false
        case WebDriverCommand.addAuthenticator.name: isChanged.store(true, ordering: .relaxed)
        default: break
        }
        return try browser.marionette.send(command, parameters)
    }

    /// Runs the body of a function in Firefox's own window.
    @discardableResult
    private func runInBrowser(_ script: String, _ arguments: Any...) throws -> Any {
        _ = try send(.setContext, ["value": "chrome"])
        let result = Result { try execute(script, arguments) }
        _ = try send(.setContext, ["value": "content"])
        return try result.get()
    }

    func resize(width: Int, height: Int) throws {
        _ = try send(.resizeWindow, ["width": max(width, 1280) + 100, "height": height + 300])
        try runInBrowser(
            """
            const { style } = gBrowser.selectedBrowser;
            const [width, height] = arguments;
            Object.assign(style, { width: `${width}px`, height: `${height}px`, flex: "none" });
            """, width, height)
        try wait(until: "return innerWidth === \(width) && innerHeight === \(height)")
    }

    func prefer(isDark: Bool, hasReducedMotion: Bool) throws {
        try runInBrowser(
            """
            const [isDark, hasReducedMotion] = arguments;
            Services.prefs.setIntPref("ui.systemUsesDarkTheme", isDark ? 1 : 0);
            Services.prefs.setIntPref("ui.prefersReducedMotion", hasReducedMotion ? 1 : 0);
            """, isDark, hasReducedMotion)
        try waitUntilPreferred(isDark: isDark, hasReducedMotion: hasReducedMotion)
    }

    func takeLog() throws -> [WebDriver.LogEntry] {
        let errors = try runInBrowser(
            """
            const entries = Services.console.getMessageArray().filter((message) =>
              message instanceof Ci.nsIScriptError && /^(https?|data):/.test(message.sourceName));
            Services.console.reset();
            return entries.map(({ flags, category, errorMessage, sourceName }) => ({
              level: flags & Ci.nsIScriptError.warningFlag ? "WARNING" : "SEVERE",
              source: category, message: `${sourceName} ${errorMessage}`,
            }));
            """)
        // What pages have said themselves is in their process.
        let said = try send(
            .execute,
            [
                "sandbox": "system", "args": [],
                "script": """
                const storage = Cc["@mozilla.org/consoleAPI-storage;1"]
                  .getService(Ci.nsIConsoleAPIStorage);
                // Firefox's own code has a file of its own, or none.
                const entries = storage.getEvents().filter(({ filename }) =>
                  filename && !/^(resource|chrome):/.test(filename));
                storage.clearEvents();
                const levels = { error: "SEVERE", warn: "WARNING" };
                return entries.map(({ level, filename, arguments: values }) => ({
                  level: levels[level] ?? "INFO", source: "console-api",
                  message: `${filename} ${[...values].map(String).join(" ")}`,
                }));
                """,
            ])
        return try [errors, said].flatMap { try [WebDriver.LogEntry](fromJSON: $0) }
    }

    func end(isReusable: Bool) {
        // One that isn't put back ends.
        guard isReusable, !isChanged.load(ordering: .relaxed), (try? send(.end, [:])) != nil else {
            return
        }
        Self.browsers.putBack(browser)
    }
}
