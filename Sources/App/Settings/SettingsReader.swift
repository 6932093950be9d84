import Configuration
import Foundation

/// Reads settings from the environment, strictly: a value that cannot be used is an error, not a
/// default.
package struct SettingsReader {
    private let configuration: ConfigReader

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        configuration = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment,
                secretsSpecifier: .specific(Setting.secretNames)))
    }

    /// - Returns: `nil` if it is not set, or empty.
    func text(_ setting: Setting) throws(SettingError) -> String? {
        if let value = value(setting.name, isSecret: setting.isSecret) { return value }
        guard setting.isSecret, let path = value(setting.name + "_FILE", isSecret: false) else {
            return nil
        }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)
        else { throw SettingError("\(setting.name)_FILE: \(path) cannot be read.") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func value(_ name: String, isSecret: Bool) -> String? {
        // swift-configuration makes the variable's name of a key's parts, in capitals.
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        let value = configuration.string(forKey: key, isSecret: isSecret)
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    func number(
        _ setting: Setting, in range: ClosedRange<Int>, default standard: Int
    ) throws(SettingError) -> Int {
        guard let text = try text(setting) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw SettingError(
                """
                \(setting.name) is "\(text)"; it must be a whole number from \(range.lowerBound) \
                to \(range.upperBound).
                """)
        }
        return number
    }

    func seconds(_ setting: Setting, default standard: Duration) throws(SettingError) -> Duration {
        guard let text = try text(setting) else { return standard }
        guard let number = Double(text), (0.001...86_400).contains(number) else {
            throw SettingError(
                "\(setting.name) is \"\(text)\"; it must be a number of seconds, up to 86400.")
        }
        return .milliseconds(Int(number * 1000))
    }

    func choice<Value>(
        _ setting: Setting, _ parse: (String) -> Value?, default standard: Value
    ) throws(SettingError) -> Value {
        guard let text = try text(setting) else { return standard }
        guard let value = parse(text) else {
            throw SettingError("\(setting.name) is \"\(text)\"; it must be \(setting.help).")
        }
        return value
    }
}

/// A setting that cannot be used.
package struct SettingError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
