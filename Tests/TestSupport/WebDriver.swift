import Foundation
import Glibc

/// A headless Chromium with a profile of its own, driven by WebDriver (a W3C Recommendation). It
/// reaches nothing but the loopback.
///
/// Calls block until they are done, and every wait has a bound. What fails says on which page.
public final class WebDriver: Sendable {
    private let driver: ChromeDriver
    private let session: String

    /// What a person has set in the browser.
    public struct Preferences: Sendable {
        public var hasJavaScript: Bool
        /// In CSS pixels; what `1rem` is.
        public var fontSize: Int
        /// Names of servers, and the ports of the loopback that stand for port 80 of each.
        public var hosts: [String: Int]

        public init(
            hasJavaScript: Bool = true, fontSize: Int = 16, hosts: [String: Int] = [:]
        ) {
            self.hasJavaScript = hasJavaScript
            self.fontSize = fontSize
            self.hosts = hosts
        }

        fileprivate var resolverRules: String {
            let names = hosts.map { "MAP \($0):80 127.0.0.1:\($1)" }
            return (names + ["MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1, EXCLUDE localhost"]).joined(
                separator: ", ")
        }
    }

    /// Starts a Chromium, runs `body` with it, and ends it.
    public static func run<Result>(
        _ preferences: Preferences = Preferences(), _ body: (WebDriver) async throws -> Result
    ) async throws -> Result {
        let browser = try WebDriver(preferences)
        defer { browser.quit() }
        return try await body(browser)
    }

    private init(_ preferences: Preferences) throws {
        driver = try ChromeDriver.shared()
        do {
            let response = try driver.send(
                "POST", "/session",
                ["capabilities": ["alwaysMatch": Self.capabilities(preferences)]])
            guard let id = (response as? [String: Any])?["sessionId"] as? String else {
                throw TestFailure("no session: \(response)")
            }
            session = "/session/\(id)"
        } catch {
            throw TestFailure(
                "Chromium did not start. If it is not installed, run script/setup --test-all. \(error)"
            )
        }
    }

    private static func capabilities(_ preferences: Preferences) -> [String: Any] {
        var arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=1280,800", "--disable-component-update",
            // Clicks must not miss what is still scrolling.
            "--force-prefers-reduced-motion",
            "--host-resolver-rules=\(preferences.resolverRules)",
        ]
        // Its sandbox refuses to run as root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        let settings: [String: Any] = [
            // 1 allows, 2 blocks.
            "profile.managed_default_content_settings.javascript":
                preferences.hasJavaScript ? 1 : 2,
            "webkit.webprefs.default_font_size": preferences.fontSize,
            "credentials_enable_service": false,
        ]
        return [
            "goog:chromeOptions": ["args": arguments, "prefs": settings] as [String: Any],
            "goog:loggingPrefs": ["browser": "ALL"],
            "unhandledPromptBehavior": "ignore",
            "timeouts": ["implicit": 10_000, "pageLoad": 600_000, "script": 600_000],
        ]
    }

    private func quit() { _ = try? driver.send("DELETE", session, nil) }

    // MARK: Commands

    /// Sends a command of the session. One without parameters is a GET.
    @discardableResult
    func send(
        _ command: String, _ parameters: [String: Any]? = nil, method: String? = nil
    ) throws -> Any {
        do {
            return try driver.send(
                method ?? (parameters == nil ? "GET" : "POST"), session + command, parameters)
        } catch {
            throw TestFailure("\(error)\n\(whereabouts)")
        }
    }

    func text(_ command: String) throws -> String {
        let value = try send(command)
        guard let text = value as? String else {
            throw TestFailure("\(command) is no text but \(value)\n\(whereabouts)")
        }
        return text
    }

    /// The page that is shown: its address, its title and how its text begins.
    private var whereabouts: String {
        func get(_ command: String) -> String? {
            try? driver.send("GET", session + command, nil) as? String
        }
        // Nothing but this can be asked while a dialog is open.
        if let dialog = get("/alert/text") { return "a dialog is open: \(dialog)" }
        let text = try? driver.send(
            "POST", session + "/execute/sync",
            ["script": "return document.body?.innerText", "args": []])
        let beginning = (text as? String ?? "").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ").prefix(500)
        return "on \(get("/url") ?? "no page") “\(get("/title") ?? "")”: \(beginning)"
    }

    /// Sends a command of the Chrome DevTools Protocol.
    @discardableResult
    func sendToDevTools(_ command: String, _ parameters: [String: Any]) throws -> Any {
        try send("/goog/cdp/execute", ["cmd": command, "params": parameters])
    }

    // MARK: Pages

    /// Opens an address, and waits until the page has loaded.
    public func open(_ url: String) throws { try send("/url", ["url": url]) }

    public func reload() throws { try send("/refresh", [:]) }

    public func goBack() throws { try send("/back", [:]) }

    /// The address of the page.
    public var url: String { get throws { try text("/url") } }

    /// The part of the address that comes after the host, with query and fragment.
    public var target: String {
        get throws {
            let parts = try url.split(
                separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            return "/" + (parts.count == 4 ? parts[3] : "")
        }
    }

    public var title: String { get throws { try text("/title") } }

    /// As a PNG file.
    public func screenshot() throws -> Data {
        Data(base64Encoded: try text("/screenshot")) ?? Data()
    }

    /// Waits until something is so. A condition that cannot be told, such as one about an element
    /// of a page that is going away, is not so yet.
    public func wait(for what: String, until condition: () throws -> Bool) async throws {
        var reason = ""
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            do {
                if try condition() { return }
                reason = ""
            } catch {
                reason = "\n\(error)"
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("waited in vain for: \(what)\(reason)\n\(whereabouts)")
    }

    /// Does something that leads to another page, and waits until that has loaded. Commands alone do
    /// not always: a form may still be on its way when they return.
    public func follow(_ action: () throws -> Void) async throws {
        try run("window.isLeft = true")
        try action()
        try await wait(for: "the next page") {
            try evaluate("return window.isLeft === undefined && document.readyState === 'complete'")
        }
    }

    /// What the console of the page, and of those before it, has said since it was last asked.
    public func takeLog() throws -> [LogEntry] {
        try decode([LogEntry].self, send("/se/log", ["type": "browser"]))
    }

    public struct LogEntry: Decodable, Sendable {
        /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
        public let level: String
        /// Such as `javascript`, `network`, `security` or `console-api`.
        public let source: String
        public let message: String
    }

    // MARK: Scripts

    /// Runs the body of a function in the page, also where its policy or the browser forbids scripts.
    ///
    /// - Parameters:
    ///   - script: It finds `arguments` in an array of that name. A promise that it returns is
    ///     waited for.
    ///   - arguments: JSON, or elements.
    public func evaluate<Value: Decodable>(
        _ script: String, _ arguments: Any..., as type: Value.Type = Value.self
    ) throws -> Value {
        try decode(type, execute(script, arguments))
    }

    /// Runs the body of a function in the page, for what it does.
    public func run(_ script: String, _ arguments: Any...) throws {
        _ = try execute(script, arguments)
    }

    /// Runs a script on each page from now on, before the page's own.
    public func runAtStart(_ script: String) throws {
        try sendToDevTools("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    func execute(_ script: String, _ arguments: [Any]) throws -> Any {
        try send(
            "/execute/sync",
            [
                "script": script,
                "args": arguments.map { ($0 as? WebElement)?.reference ?? $0 },
            ])
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ json: Any) throws -> Value {
        let data = try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw TestFailure("\(json) is no \(type)\n\(whereabouts)")
        }
    }

    // MARK: The look

    /// Sets the size of the part of the tab that shows the page, in CSS pixels.
    public func resize(width: Int, height: Int = 800) throws {
        try sendToDevTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Sets what a person likes better, for the tab. At first it is light with reduced motion.
    public func prefer(isDark: Bool = false, hasReducedMotion: Bool = true) throws {
        try sendToDevTools(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
                    [
                        "name": "prefers-reduced-motion",
                        "value": hasReducedMotion ? "reduce" : "no-preference",
                    ],
                ]
            ])
    }
}
