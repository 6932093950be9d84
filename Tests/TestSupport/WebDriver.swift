import Foundation
import Glibc

/// A browser with nothing in it, driven by WebDriver (a W3C Recommendation). It reaches nothing but
/// the loopback; names below `localhost` lead there, too.
///
/// Calls block until they are done, and every wait has a bound. What fails says on which page.
public final class WebDriver: Sendable {
    private let session: any BrowserSession

    /// What a person has set in the browser.
    public struct Preferences: Sendable {
        public var hasJavaScript: Bool
        /// In CSS pixels; what `1rem` is.
        public var fontSize: Int

        public init(hasJavaScript: Bool = true, fontSize: Int = 16) {
            self.hasJavaScript = hasJavaScript
            self.fontSize = fontSize
        }
    }

    /// Starts a browser, runs `body` with it, and ends it.
    public static func run<Result>(
        _ preferences: Preferences = Preferences(), in engine: BrowserEngine = .current,
        _ body: (WebDriver) async throws -> Result
    ) async throws -> Result {
        let browser: WebDriver
        do {
            browser = try WebDriver(session: engine.start(preferences))
        } catch {
            throw TestFailure(
                "\(engine) did not start. If it is not installed, run script/setup --test-all. \(error)"
            )
        }
        do {
            let result = try await body(browser)
            browser.session.end(isReusable: true)
            return result
        } catch {
            browser.session.end(isReusable: false)
            throw error
        }
    }

    private init(session: any BrowserSession) { self.session = session }

    // MARK: Commands

    /// Sends a command of the session.
    @discardableResult
    func send(_ command: WebDriverCommand, _ parameters: [String: Any] = [:]) throws -> Any {
        do {
            return try session.send(command, parameters)
        } catch {
            throw TestFailure("\(error)\n\(whereabouts)")
        }
    }

    func text(
        _ command: WebDriverCommand, _ parameters: [String: Any] = [:]
    ) throws -> String {
        let value = try send(command, parameters)
        guard let text = value as? String else {
            throw TestFailure("\(command) is no text but \(value)\n\(whereabouts)")
        }
        return text
    }

    /// The page that is shown: its address, its title and how its text begins.
    private var whereabouts: String {
        func get(_ command: WebDriverCommand) -> String? {
            try? session.send(command, [:]) as? String
        }
        // Nothing but this can be asked while a dialog is open.
        if let dialog = get(.dialogText) { return "a dialog is open: \(dialog)" }
        let text = try? session.execute("return document.body?.innerText") as? String
        let beginning = (text ?? "").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ").prefix(500)
        return "on \(get(.url) ?? "no page") “\(get(.title) ?? "")”: \(beginning)"
    }

    // MARK: Pages

    /// Opens an address, and waits until the page has loaded.
    public func open(_ url: String) throws { try send(.open, ["url": url]) }

    public func reload() throws { try send(.reload) }

    public func goBack() throws { try send(.goBack) }

    /// The address of the page.
    public var url: String { get throws { try text(.url) } }

    /// The part of the address that comes after the host, with query and fragment.
    public var target: String {
        get throws {
            let parts = try url.split(
                separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            return "/" + (parts.count == 4 ? parts[3] : "")
        }
    }

    public var title: String { get throws { try text(.title) } }

    /// As a PNG file.
    public func screenshot() throws -> Data {
        Data(base64Encoded: try text(.screenshot)) ?? Data()
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
    public func takeLog() throws -> [LogEntry] { try session.takeLog() }

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

    func execute(_ script: String, _ arguments: [Any]) throws -> Any {
        try send(
            .execute,
            [
                "script": script,
                "args": arguments.map { ($0 as? WebElement)?.reference ?? $0 },
            ])
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ json: Any) throws -> Value {
        do {
            return try Value(fromJSON: json)
        } catch {
            throw TestFailure("\(json) is no \(type)\n\(whereabouts)")
        }
    }

    // MARK: The look

    /// Sets the size of the part of the tab that shows the page, in CSS pixels. At first it is 1280
    /// by 800.
    public func resize(width: Int, height: Int = 800) throws {
        try session.resize(width: width, height: height)
    }

    /// Sets what a person likes better, for the tab. At first it is light with reduced motion.
    public func prefer(isDark: Bool = false, hasReducedMotion: Bool = true) throws {
        try session.prefer(isDark: isDark, hasReducedMotion: hasReducedMotion)
    }
}

extension Decodable {
    /// - Parameter json: Dictionaries, arrays, texts, numbers, or `NSNull`.
    init(fromJSON json: Any) throws {
        let data = try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)
        self = try JSONDecoder().decode(Self.self, from: data)
    }
}
