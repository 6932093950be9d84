import Foundation
import Testing

/// What shows pages in the browser of the tests.
///
/// `script/setup --test-all` installs all of them.
public enum BrowserEngine: String, CaseIterable, Sendable {
    case chromium, firefox, webkit

    /// The one of this run: `script/test --engine` chooses it.
    public static let current: Self = {
        guard let name = ProcessInfo.processInfo.environment["TEST_ENGINE"] else {
            return .chromium
        }
        guard let engine = Self(rawValue: name) else { fatalError("no engine: \(name)") }
        return engine
    }()

    /// What not every engine, or its driver, can do.
    public enum Ability: Sendable {
        case layoutShiftReports, log, passkeys, recordedLook, touch
    }

    /// Why the engine can't do something; `nil` if it can.
    public func reason(against ability: Ability) -> Comment? {
        switch (self, ability) {
        case (.firefox, .layoutShiftReports), (.webkit, .layoutShiftReports):
            "only Chromium tells a page what has shifted in it"
        case (.webkit, .log): "WebKitGTK's driver doesn't say what the console says"
        case (.webkit, .passkeys): "WebKitGTK has no passkeys, and its driver no authenticator"
        case (.webkit, .touch): "WebKitGTK's driver makes a mouse of every pointer"
        case (.firefox, .recordedLook), (.webkit, .recordedLook):
            "each engine smooths letters in its own way, and the pictures are Chromium's"
        default: nil
        }
    }

    public func can(_ ability: Ability) -> Bool { reason(against: ability) == nil }

    /// Whether the programs of the engine are installed.
    public var isInstalled: Bool { programs.allSatisfy { KeptProgram.find($0) != nil } }

    /// What has to be in `PATH`; of several names, one.
    private var programs: [[String]] {
        switch self {
        case .chromium: [ChromiumSession.programs]
        case .firefox: [FirefoxSession.programs]
        case .webkit: WebKitSession.programs
        }
    }

    func start(_ preferences: WebDriver.Preferences) throws -> any BrowserSession {
        switch self {
        case .chromium: try ChromiumSession(preferences)
        case .firefox: try FirefoxSession(preferences)
        case .webkit: try WebKitSession(preferences)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For what not every engine can do.
    public static func needs(_ ability: BrowserEngine.Ability) -> Self {
        let reason = BrowserEngine.current.reason(against: ability)
        return .enabled(if: reason == nil, reason)
    }
}
