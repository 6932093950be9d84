import Foundation
import Glibc

/// A WebKitGTK in a window of a virtual screen, driven by its own WebDriver. That has one browser at a
/// time, and starts a new one for each test.
final class WebKitSession: BrowserSession {
    static let programs = [["WebKitWebDriver"], ["Xvfb"], ["xsettingsd"]]

    private struct Driver: Sendable {
        let program: KeptProgram
        let server: WebDriverServer
    }

    private let driver: Driver
    private let session: String

    init(_ preferences: WebDriver.Preferences) throws {
        driver = try Self.drivers.take()
        try Data("[websettings]\ndefault-font-size=\(preferences.fontSize)\n".utf8)
            .write(to: URL(filePath: driver.program.folder + "/browser.conf"))
        try Self.writeDesktop(isDark: false, hasReducedMotion: true, to: driver.program.folder)
        let arguments = [
            "--automation", "--config=\(driver.program.folder)/browser.conf",
            "--enable-javascript-markup=\(preferences.hasJavaScript)",
            // Nothing but the loopback can be reached: everything else is asked of a proxy that
            // isn't there.
            "--proxy=http://127.0.0.1:9", "--ignore-host=127.0.0.1", "--ignore-host=localhost",
            "--ignore-host=*.localhost",
        ]
        session = try driver.server.begin(
            Self.capabilities.merging(["webkitgtk:browserOptions": ["args": arguments]]) { $1 })
        try prefer(isDark: false, hasReducedMotion: true)
        try resize(width: 1280, height: 800)
    }

    private static let drivers = BrowserPool {
        for program in programs { _ = try KeptProgram.program(program) }
        while true {
            let port = try TestServer.freePort()
            let program = try KeptProgram(
                ["sh", "-c", script, "webkit", String(port)],
                environment: [
                    // It draws without a graphics card, and asks no desktop.
                    "LIBGL_ALWAYS_SOFTWARE": "1", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1",
                    "GSETTINGS_BACKEND": "memory", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
                ]
            ) { folder in
                let styles = folder + "/.config/gtk-3.0"
                try FileManager.default.createDirectory(
                    atPath: styles, withIntermediateDirectories: true)
                try Data(style.utf8).write(to: URL(filePath: styles + "/gtk.css"))
                try writeDesktop(isDark: false, hasReducedMotion: true, to: folder)
            }
            let server = WebDriverServer(port: port)
            do {
                try program.wait(for: "the driver") { server.isReady ? () : nil }
                return Driver(program: program, server: server)
            } catch  where program.text(of: "log")?.contains("in use") == true {
                // Another process has got the port.
            }
        }
    }

    /// Nobody manages the screen's windows: the one with the pointer has the focus. The pointer is in the
    /// middle of the screen, which is so small that this is in the bar above every page.
    private static let script = """
        Xvfb -displayfd 3 -screen 0 200x20x24 -nolisten tcp 3>display &
        until [ -s display ]; do
            kill -0 "$!" || exit 1
            sleep 0.02
        done
        DISPLAY=:$(cat display)
        export DISPLAY
        xsettingsd -c desktop &
        echo "$!" >desktop.pid
        exec WebKitWebDriver --host=127.0.0.1 --port="$1"
        """

    /// The bar with the address must not keep the window from being narrow.
    private static let style = """
        headerbar, headerbar *, toolbar, toolbar *, entry, entry *, button, button * {
            min-width: 0; min-height: 0; padding: 0; margin: 0; border: none; font-size: 1px;
        }
        """

    /// What `xsettingsd` tells the browser.
    private static func writeDesktop(
        isDark: Bool, hasReducedMotion: Bool, to folder: String
    ) throws {
        let settings = """
            Net/ThemeName "\(isDark ? "Adwaita-dark" : "Adwaita")"
            Gtk/EnableAnimations \(hasReducedMotion ? 0 : 1)

            """
        try Data(settings.utf8).write(to: URL(filePath: folder + "/desktop"))
    }

    func send(_ command: WebDriverCommand, _ parameters: [String: Any]) throws -> Any {
        var parameters = parameters
        // A second tab of a window stays hidden.
        if command.path == WebDriverCommand.openTab.path { parameters["type"] = "window" }
        if command.path == WebDriverCommand.type.path, let text = parameters["text"] as? String {
            // It leaves out the ends of lines.
            parameters["text"] = text.replacing("\n", with: Key.enter.rawValue)
        }
        let value = try driver.server.send(command, parameters, to: session)
        let loads = [WebDriverCommand.open, .reload, .goBack].map(\.path)
        if loads.contains(command.path), command.method == "POST" {
            // The driver doesn't wait for pictures, nor for scripts that begin after the document.
            try wait(until: "return document.readyState === 'complete'")
        }
        return value
    }

    func resize(width: Int, height: Int) throws {
        let bar = try execute("return outerHeight - innerHeight") as? Int ?? 0
        _ = try send(.resizeWindow, ["x": 0, "y": 0, "width": width, "height": height + bar])
        try wait(until: "return innerWidth === \(width) && innerHeight === \(height)")
    }

    func prefer(isDark: Bool, hasReducedMotion: Bool) throws {
        try Self.writeDesktop(
            isDark: isDark, hasReducedMotion: hasReducedMotion, to: driver.program.folder)
        let number = driver.program.text(of: "desktop.pid").flatMap {
            pid_t($0.trimmingCharacters(in: .newlines))
        }
        guard let number, kill(number, SIGHUP) == 0 else { throw TestFailure("no xsettingsd") }
        try waitUntilPreferred(isDark: isDark, hasReducedMotion: hasReducedMotion)
    }

    func takeLog() throws -> [WebDriver.LogEntry] { [] }

    func end(isReusable: Bool) {
        // One that isn't put back ends.
        if (try? send(.end, [:])) != nil { Self.drivers.putBack(driver) }
    }
}
