import Configuration
import Foundation

/// Reads settings from the environment, which has those of the installed site, too. A value that is not
/// valid is an error; the default does not replace it.
package struct SettingsReader {
    private let configuration: ConfigReader
    private let installed: InstalledSettings
    /// The names of all variables in the environment, settings or not.
    let variableNames: Set<String>

    package init() {
        self.init(
            environment: ProcessInfo.processInfo.environment, InstalledSettings.adopted)
    }

    package init(environment: [String: String]) { self.init(environment: environment, .none) }

    init(environment: [String: String], _ installed: InstalledSettings) {
        self.installed = installed
        variableNames = Set(environment.keys)
        configuration = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment,
                secretsSpecifier: .specific(Settings.secretNames)))
    }

    /// The value of a setting: the environment's, or else the default. An empty variable counts as
    /// not set.
    ///
    /// - Throws: An error that names the variable and says what its value must be.
    func value<Value>(_ setting: Setting<Value>) throws(SettingError) -> Value {
        guard let text = try text(setting) else { return setting.standard }
        guard let value = setting.parse(text) else {
            throw SettingError(setting, text, mustBe: setting.requirement)
        }
        return value
    }

    /// Whether any setting of a group is given.
    ///
    /// - Throws: An error that names the missing settings if some of the needed ones are missing.
    func uses(
        _ group: some SettingGroup, needing needed: any AnySetting...
    ) throws(SettingError) -> Bool {
        var given: [String] = []
        for setting in group.settings where try text(setting) != nil { given.append(setting.name) }
        guard let first = given.first else { return false }
        let missing = needed.map(\.name).filter { !given.contains($0) }
        guard missing.isEmpty else {
            throw SettingError(
                """
                \(first) is set, but \(missing.joined(separator: " and ")) \
                \(missing.count == 1 ? "is" : "are") not.
                """)
        }
        return true
    }

    /// Where the value of a setting comes from; `nil` if it has its default.
    func origin(_ setting: any AnySetting) throws(SettingError) -> String? {
        guard try text(setting) != nil else { return nil }
        let names = setting.isSecret ? [setting.name, setting.name + "_FILE"] : [setting.name]
        return names.lazy.compactMap { installed.origins[$0] }.first ?? "the environment"
    }

    /// What is set for a setting, as it is shown to the operator; `nil` if it has its default.
    func shownText(_ setting: any AnySetting) throws(SettingError) -> String? {
        let text = try text(setting)
        return setting.isSecret ? text.map { _ in "(secret)" } : text?.withoutCredentials
    }

    /// The value of a setting as anyone may read it; `nil` if it has its default.
    func shareableText(_ setting: any AnySetting) -> String? {
        let given: String?
        do {
            given = try text(setting)
        } catch {
            return "(cannot be read)"
        }
        guard let given else { return nil }
        // A value that isn't valid may be a secret of another setting.
        guard (try? setting.check(self)) != nil else { return "(not valid)" }
        return setting.isShareable ? given : "(set)"
    }

    private func text(_ setting: any AnySetting) throws(SettingError) -> String? {
        if let problem = installed.problem { throw SettingError(problem) }
        let text = variable(setting.name, isSecret: setting.isSecret)
        guard setting.isSecret, let path = variable(setting.name + "_FILE", isSecret: false) else {
            return text
        }
        guard text == nil else {
            throw SettingError(
                "\(setting.name) and \(setting.name)_FILE are both set: remove one of them.")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)
        else { throw SettingError("\(setting.name)_FILE: \(path) cannot be read.") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func variable(_ name: String, isSecret: Bool) -> String? {
        // Most are not set, and swift-configuration takes a while to say so.
        guard variableNames.contains(name) else { return nil }
        // swift-configuration joins the parts of a key, in capitals, to get the variable's name.
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        let value = configuration.string(forKey: key, isSecret: isSecret)
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Why the settings cannot be used, in words for the operator.
package struct SettingError: Error, CustomStringConvertible {
    /// At least one, each a sentence or two.
    let problems: [String]

    package var description: String { problems.joined(separator: "\n") }

    init(_ problem: String) { problems = [problem] }

    /// - Parameter requirement: What the value must be, with the reason if it isn't obvious.
    init(_ setting: any AnySetting, _ value: String, mustBe requirement: String) {
        self.init(
            setting.isSecret
                ? "\(setting.name) must be \(requirement)."
                : "\(setting.name) is \"\(value.withoutCredentials)\"; it must be \(requirement).")
    }

    init(_ problems: [String]) { self.problems = problems }
}

extension String {
    /// Without what may be the user name and the password of an address, even of a malformed one.
    fileprivate var withoutCredentials: String {
        guard let at = lastIndex(of: "@"), self[..<at].contains(":") else { return self }
        let scheme = range(of: "://").map { self[..<$0.upperBound] } ?? ""
        return "\(scheme)…\(self[at...])"
    }
}
