extension Settings {
    /// All settings as a Markdown document.
    static var document: String {
        let sections = groups.map { group in
            let rows = group.settings.map { setting in
                let cells = [setting.fullHelp, setting.standardText].map(\.escapedForTable)
                return "| `\(setting.name)` | \(cells[0]) | \(cells[1]) |"
            }
            return """
                ## \(group.title)

                | Setting | Meaning | Default |
                | --- | --- | --- |
                \(rows.joined(separator: "\n"))
                """
        }
        return """
            # Settings

            Settings come from environment variables; an empty one counts as not set. \
            `fave-admin settings --format markdown` generates this document.

            \(sections.joined(separator: "\n\n"))

            """
    }

    /// A file for `EnvironmentFile=` of systemd, in which every setting is a comment.
    static var environmentFile: String {
        let sections = groups.map { group in
            let settings = group.settings.map { setting in
                """
                # \(setting.fullHelp.replacing("\n", with: "\n# ")). Default: \(setting.standardText)
                #\(setting.name)=
                """
            }
            return "# -- \(group.title)\n\n" + settings.joined(separator: "\n\n")
        }
        return """
            # The settings of Fave Games. To change one, remove the # before its name.


            """ + sections.joined(separator: "\n\n") + "\n"
    }

    /// Sentences about variables that look like settings with a typing error.
    ///
    /// - Parameter names: The names of all variables in the environment.
    static func warnings(about names: some Sequence<String>) -> [String] {
        let known = (groups + openIDProviders).flatMap(\.settings).flatMap {
            $0.isSecret ? [$0.name, $0.name + "_FILE"] : [$0.name]
        }
        let isKnown = Set(known)
        return names.filter { !isKnown.contains($0) }.sorted().compactMap { name in
            let bare = name.hasPrefix("FAVE_") ? String(name.dropFirst("FAVE_".count)) : name
            // A short name that is two letters away, as HOME is from HOST, is another word.
            let reach = bare.utf8.count < 8 ? 1 : 2
            return known.map { ($0, bare.distance(to: $0)) }
                .filter { $0.1 <= reach }
                .min { $0.1 < $1.1 }
                .map { "\(name) is not a setting; did you mean \($0.0)?" }
        }
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
