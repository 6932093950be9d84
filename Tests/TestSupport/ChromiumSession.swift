import Foundation
import Glibc

/// A headless Chromium with a profile of its own. One chromedriver starts those of all tests.
final class ChromiumSession: BrowserSession {
    static let programs = ["chromedriver"]

    private let server: WebDriverServer
    private let session: String

    init(_ preferences: WebDriver.Preferences) throws {
        server = try Self.driver.get().server
        session = try server.begin(Self.capabilities(preferences))
    }

    private static let driver = Result {
        let program = try KeptProgram([KeptProgram.program(programs), "--port=0"])
        let port = try program.wait(for: "its port") {
            program.text(of: "log")?.firstMatch(of: /started successfully on port (\d+)/)
                .flatMap { Int($0.1) }
        }
        return (program: program, server: WebDriverServer(port: port))
    }

    private static func capabilities(_ preferences: WebDriver.Preferences) -> [String: Any] {
        var arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=1280,800", "--disable-component-update",
            // Clicks must not miss what is still scrolling.
            "--force-prefers-reduced-motion",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *localhost",
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
        return capabilities.merging([
            "goog:chromeOptions": ["args": arguments, "prefs": settings] as [String: Any],
            "goog:loggingPrefs": ["browser": "ALL"],
        ]) { $1 }
    }

    func send(_ command: WebDriverCommand, _ parameters: [String: Any]) throws -> Any {
        try server.send(command, parameters, to: session)
    }

    private func sendToDevTools(_ command: String, _ parameters: [String: Any]) throws {
        _ = try send(.devTools, ["cmd": command, "params": parameters])
    }

    func resize(width: Int, height: Int) throws {
        try sendToDevTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    func prefer(isDark: Bool, hasReducedMotion: Bool) throws {
        let features = [
            "prefers-color-scheme": isDark ? "dark" : "light",
            "prefers-reduced-motion": hasReducedMotion ? "reduce" : "no-preference",
        ]
        try sendToDevTools(
            "Emulation.setEmulatedMedia",
            ["features": features.map { ["name": $0, "value": $1] }])
    }

    func takeLog() throws -> [WebDriver.LogEntry] {
        try [WebDriver.LogEntry](fromJSON: send(.log, ["type": "browser"]))
    }

    func end(isReusable: Bool) { _ = try? send(.end, [:]) }
}
