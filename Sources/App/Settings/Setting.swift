/// A setting, which the operator sets in the environment variable with its name.
struct Setting<Value: Sendable>: AnySetting {
    let name: String
    let help: String
    /// The value if the variable is not set.
    let standard: Value
    /// The default as `--help` shows it.
    let standardText: String
    /// What a value must be, for the error about one that isn't: "a whole number from 1 to 256".
    let requirement: String
    /// Whether the value must never be shown. Such a value may also be in a file that `NAME_FILE`
    /// names.
    let isSecret: Bool
    /// Whether anyone may read its valid values, since they are numbers or a few words: they name no
    /// people, machines, databases or files.
    let isShareable: Bool
    /// Reads a value; returns `nil` if it is not valid.
    let parse: @Sendable (String) -> Value?

    /// - Parameter standardText: The default as `--help` shows it.
    init(
        _ name: String, _ help: String, default standard: Value, shownAs standardText: String,
        requirement: String, isSecret: Bool = false, isShareable: Bool = false,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.help = help
        self.standard = standard
        self.standardText = standardText
        self.requirement = requirement
        self.isSecret = isSecret
        self.isShareable = isShareable
        self.parse = parse
    }
}

/// A setting of any type, as `--help` and errors need it.
protocol AnySetting: Sendable {
    var name: String { get }
    var help: String { get }
    var standardText: String { get }
    var isSecret: Bool { get }
    var isShareable: Bool { get }

    /// Reads the value, to see that it is valid.
    func check(_ reader: SettingsReader) throws(SettingError)
}

extension Setting {
    func check(_ reader: SettingsReader) throws(SettingError) { _ = try reader.value(self) }
}

extension Setting where Value == Int {
    static func number(
        _ name: String, _ help: String, in range: ClosedRange<Int>, default standard: Int,
        shownAs standardText: String? = nil
    ) -> Setting {
        Setting(
            name, help, default: standard, shownAs: standardText ?? String(standard),
            requirement: range.requirement, isShareable: true, parse: range.parse)
    }
}

extension Setting where Value == Int? {
    /// An optional number.
    static func number(
        _ name: String, _ help: String, in range: ClosedRange<Int>, shownAs standardText: String
    ) -> Setting {
        Setting(
            name, help, default: nil, shownAs: standardText, requirement: range.requirement,
            isShareable: true
        ) { text in
            // The outer optional is `nil` for a value that is not valid. The inner one would be the
            // value "not set".
            range.parse(text).map { .some($0) }
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var requirement: String {
        upperBound == .max
            ? "a whole number from \(lowerBound)"
            : "a whole number from \(lowerBound) to \(upperBound)"
    }

    @Sendable
    fileprivate func parse(_ text: String) -> Int? {
        Int(text).flatMap { contains($0) ? $0 : nil }
    }
}

extension Setting where Value == Duration {
    /// A time in seconds, which may have a fraction.
    static func seconds(_ name: String, _ help: String, default standard: Duration) -> Setting {
        Setting(
            name, help, default: standard, shownAs: (standard / .seconds(1)).formatted(),
            requirement: "a number of seconds, up to 86400", isShareable: true
        ) { text in
            Double(text).flatMap { (0.001...86_400).contains($0) ? $0 : nil }
                .map { .milliseconds(Int($0 * 1000)) }
        }
    }

    /// A time in a whole number of units.
    static func time(
        _ name: String, _ help: String, in range: ClosedRange<Int>, of unit: Duration,
        default standard: Duration
    ) -> Setting {
        Setting(
            name, help, default: standard, shownAs: (standard / unit).formatted(),
            requirement: range.requirement, isShareable: true
        ) { text in
            range.parse(text).map { unit * $0 }
        }
    }
}

extension Double {
    /// Rounded to thousandths, and without a decimal point if it is whole.
    fileprivate func formatted() -> String {
        let thousandths = (self * 1000).rounded()
        return thousandths.remainder(dividingBy: 1000) == 0
            ? String(Int(thousandths) / 1000) : String(thousandths / 1000)
    }
}

extension Setting where Value == Bool {
    /// One of two words, in upper or lower case.
    static func choice(
        _ name: String, _ help: String, on: String = "on", off: String = "off",
        default standard: Bool
    ) -> Setting {
        Setting(
            name, "\(on) or \(off): \(help)", default: standard, shownAs: standard ? on : off,
            requirement: "\(on) or \(off)", isShareable: true
        ) { text in
            [on: true, off: false][text.lowercased()]
        }
    }
}

extension Setting where Value == String {
    static func text(
        _ name: String, _ help: String, default standard: String,
        shownAs standardText: String? = nil, isSecret: Bool = false
    ) -> Setting {
        Setting(
            name, help, default: standard, shownAs: standardText ?? standard, requirement: "a text",
            isSecret: isSecret, parse: { $0 })
    }

    /// An http or https address. One slash at its end is removed.
    static func address(_ name: String, _ help: String, default standard: String) -> Setting {
        Setting(
            name, help, default: standard, shownAs: standard,
            requirement: "an http or https address"
        ) { text in
            guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}

extension Setting where Value == String? {
    /// An optional text.
    static func text(
        _ name: String, _ help: String, shownAs standardText: String = "none",
        isSecret: Bool = false
    ) -> Setting {
        Setting(
            name, help, default: nil, shownAs: standardText, requirement: "a text",
            isSecret: isSecret, parse: { $0 })
    }
}
