import Configuration
import Foundation

/// Reads settings from the environment. A value that is not valid is an error; the default does not
/// replace it.
package struct SettingsReader {
    private let configuration: ConfigReader
    /// The names of all variables in the environment, settings or not.
    let variableNames: [String]

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        variableNames = Array(environment.keys)
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
            throw SettingError(
                setting.isSecret
                    ? "\(setting.name) must be \(setting.requirement)."
                    : "\(setting.name) is \"\(text)\"; it must be \(setting.requirement).")
        }
        return value
    }

    private func text(_ setting: any AnySetting) throws(SettingError) -> String? {
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

    init(_ problems: [String]) { self.problems = problems }
}
