import Glibc

/// A browser that has nothing of its last user, with what each engine does in its own way.
protocol BrowserSession: Sendable {
    /// Sends one command, and waits for what comes of it.
    ///
    /// - Returns: The value of the response, as JSON.
    /// - Throws: `WebDriverError` if it says that the command failed.
    func send(_ command: WebDriverCommand, _ parameters: [String: Any]) throws -> Any

    /// Sets the size of the part of the tab that shows the page, in CSS pixels.
    func resize(width: Int, height: Int) throws

    func prefer(isDark: Bool, hasReducedMotion: Bool) throws

    /// What the console has said since this was last called.
    func takeLog() throws -> [WebDriver.LogEntry]

    /// - Parameter isReusable: Whether the browser is as it should be, so that another test may have it.
    func end(isReusable: Bool)
}

extension BrowserSession {
    /// How long commands may take, in milliseconds, and what the browser does with dialogs: nothing.
    static var capabilities: [String: Any] {
        [
            "unhandledPromptBehavior": "ignore",
            "timeouts": ["implicit": 10_000, "pageLoad": 600_000, "script": 600_000],
        ]
    }

    /// Runs the body of a function in the page.
    func execute(_ script: String, _ arguments: [Any] = []) throws -> Any {
        try send(.execute, ["script": script, "args": arguments])
    }

    /// Waits until pages see what a person likes better.
    func waitUntilPreferred(isDark: Bool, hasReducedMotion: Bool) throws {
        try wait(
            until: """
                const matches = (feature) => matchMedia(`(${feature})`).matches;
                return matches("prefers-color-scheme: dark") === \(isDark)
                  && matches("prefers-reduced-motion: reduce") === \(hasReducedMotion);
                """)
    }

    /// Waits until a script gives `true`: the browser changes what pages see of it in its own time.
    func wait(until script: String) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try execute(script) as? Bool != true {
            guard ContinuousClock.now < deadline else {
                throw TestFailure("waited in vain for: \(script)")
            }
            usleep(5_000)
        }
    }
}

/// A command that failed; WebDriver section 6.6.
struct WebDriverError: Error, CustomStringConvertible {
    /// Such as `no such element`.
    let code: String
    let message: String

    var description: String { "\(code): \(message)" }
}
