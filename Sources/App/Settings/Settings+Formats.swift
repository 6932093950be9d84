extension Settings {
    /// All settings as a Markdown document.
    static var document: String {
        let sections = sections.map { section in
            let rows = section.settings.map { setting in
                let cells = [setting.fullHelp, setting.standardText].map(\.escapedForTable)
                return "| `\(setting.name)` | \(cells[0]) | \(cells[1]) |"
            }
            return """
                ## \(section.title)

                | Setting | Meaning | Default |
                | --- | --- | --- |
                \(rows.joined(separator: "\n"))
                """
        }
        return """
            # Settings

            \(sources) `fave-admin settings --format markdown` generates this document.

            \(sections.joined(separator: "\n\n"))

            """
    }

    /// A setting, as scripts read it.
    struct Reported: Encodable {
        let name: String
        let section: String
        let meaning: String
        let standard: String
        /// Whether its value is never shown, and may be in a file that `NAME_FILE` names.
        let isSecret: Bool

        enum CodingKeys: String, CodingKey {
            case name, section, meaning, isSecret
            case standard = "default"
        }
    }

    static var reported: [Reported] {
        sections.flatMap { section in
            section.settings.map { setting in
                Reported(
                    name: setting.name, section: section.title, meaning: setting.help,
                    standard: setting.standardText, isSecret: setting.isSecret)
            }
        }
    }

    /// A setting that differs from its default.
    struct Given: Encodable {
        let name: String
        /// Without secrets.
        let value: String
        let source: String
    }

    /// The settings that differ from their defaults.
    static func given(_ reader: SettingsReader) throws(SettingError) -> [Given] {
        var given: [Given] = []
        for setting in all {
            guard let value = try reader.shownText(setting), let source = try reader.origin(setting)
            else { continue }
            given.append(Given(name: setting.name, value: value, source: source))
        }
        return given
    }

    /// Lists them, each with its source.
    static func listing(_ given: [Given]) -> String {
        let hidden = Set(unlisted.settings.map(\.name))
        let others = Set(all.map(\.name)).subtracting(hidden).subtracting(given.map(\.name)).count
        let lines = given.map { "\($0.name)=\($0.value)\n    from \($0.source)" }
        let rest = """
            \(lines.isEmpty ? "All" : "The other") \(others) settings have their \
            defaults, which fave-admin settings lists.
            """
        return (lines + [rest]).joined(separator: "\n")
    }

    /// Sentences about variables that look like settings with another name.
    ///
    /// - Parameter names: The names of all variables in the environment.
    static func warnings(about names: some Sequence<String>) -> [String] {
        let hidden = Set(unlisted.settings.map(\.name))
        let listed = all.filter { !hidden.contains($0.name) }
            .flatMap { $0.isSecret ? [$0.name, $0.name + "_FILE"] : [$0.name] }
        let isKnown = hidden.union(listed)
        return names.filter { !isKnown.contains($0) }.sorted().compactMap { name in
            if removed.contains(name) { return "\(name) is no longer a setting: remove it" }
            if let meant = namesElsewhere[name] ?? likeliest(of: listed, for: name) {
                return "\(name) is not a setting; did you mean \(meant)?"
            }
            guard let service = services.first(where: { name.hasPrefix($0) }) else { return nil }
            let others = groups.flatMap(\.settings).map(\.name).filter { $0.hasPrefix(service) }
            return """
                \(name) is not a setting; those that begin with \(service) are \
                \(others.joined(separator: ", "))
                """
        }
    }

    /// What other programs call the same.
    private static let namesElsewhere = [
        "BASE_URL": service.publicURL.name, "SITE_URL": service.publicURL.name,
        "DB_URL": database.url.name, "POSTGRES_URL": database.url.name,
        "CACHE": cache.megabytes.name, "CACHE_MB": cache.megabytes.name,
        "LISTEN_ADDRESS": service.host.name, "LISTEN_PORT": service.port.name,
        "HTTP_PORT": service.port.name, "JWT_KEY_FILE": issuer.keySetURL.name,
        "BLOCKED_WORDS": accounts.refusedWords.name,
        "BLOCKED_WORDS_FILE": accounts.refusedWords.name + "_FILE",
    ]

    /// What could be set before 1.0, and has no successor.
    private static let removed: Set = [
        "BODY_TIMEOUT_SECONDS", "DATABASE_QUEUE", "DATABASE_REPLICA_CONNECTIONS",
        "DATABASE_REPLICA_TIMEOUT_SECONDS", "DATABASE_REPLICA_URL", "HEADER_TIMEOUT_SECONDS",
        "HTTP_REDIRECT_PORT", "IGDB_MAX_AGE_HOURS", "MAX_BODY_BYTES", "MAX_HEADER_BYTES",
        "MAX_HEADER_FIELDS",
        "MAX_REQUESTS_PER_CONNECTION", "MAX_REQUEST_LINE_BYTES", "MAX_UNSENT_MEGABYTES",
        "SEARCH_MEMORY",
    ]

    /// Variables whose names begin so belong to no other program.
    private static let services = ["DATABASE_", "IGDB_", "JWT_", "OIDC_", "SITE_", "SMTP_", "TLS_"]

    /// The setting whose name is a few letters away, or else has all the words of this one, in the
    /// same order or shortened.
    private static func likeliest(of known: [String], for name: String) -> String? {
        let bare = name.hasPrefix("FAVE_") ? String(name.dropFirst("FAVE_".count)) : name
        // A short name that is two letters away, as HOME is from HOST, is another word.
        let reach = bare.utf8.count < 8 ? 1 : 2
        let firstWord = bare.prefix { $0 != "_" } + "_"
        // Comparing all names took a fifth of a start.
        return known.filter {
            abs($0.utf8.count - bare.utf8.count) <= reach || $0.hasPrefix(firstWord)
        }.map { (name: $0, distance: bare.distance(to: $0)) }
            .filter {
                $0.distance <= reach || $0.name.hasPrefix(firstWord) && bare.hasWordsLike($0.name)
            }
            .min { $0.distance < $1.distance }?.name
    }
}

extension AnySetting {
    /// The help, with where a secret may be instead.
    var fullHelp: String { isSecret ? "\(help) (or in a file that \(name)_FILE names)" : help }
}

extension String {
    fileprivate var escapedForTable: String {
        replacing("|", with: "\\|").replacing("\n", with: " ").replacing("<", with: "&lt;")
    }

    /// Whether this has several words, the first that of the other name, and each other word is, or
    /// begins like, one of the other name: TLS_CERT_FILE is like TLS_CERTIFICATE_FILE.
    fileprivate func hasWordsLike(_ other: String) -> Bool {
        let (words, others) = (split(separator: "_"), other.split(separator: "_"))
        guard words.count > 1, words.first == others.first else { return false }
        return words.dropFirst().allSatisfy { word in
            others.dropFirst().contains { candidate in
                word == candidate
                    || zip(word, candidate).prefix { $0 == $1 }.count >= 4
            }
        }
    }

    /// The number of characters to insert, delete or replace: the Levenshtein distance.
    fileprivate func distance(to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (number, byte) in utf8.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for column in other.indices {
                let substituted = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
