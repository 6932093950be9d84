import ArgumentParser

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print all settings with their meanings and defaults, or those in force.",
        discussion: """
            fave-server and fave-admin read settings from environment variables, and on a machine with \
            an installed site from its files in /etc/fave-games: fave-games.conf, then those in \
            fave-games.conf.d. The environment takes precedence; if it has DATABASE_URL, the files are \
            not read.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, markdown
    }

    @Option(help: "text, as in fave-server --help, or markdown.")
    var format = Format.text

    @OptionGroup var output: OutputOptions

    @Flag(help: "Print what is set and where, without secrets, instead of all settings.")
    var current = false

    @Flag(help: "Only check what is set; exit with status 1 if something is wrong.")
    var check = false

    func validate() throws {
        if output.json, format != .text {
            throw ValidationError("Either --json or --format, not both.")
        }
    }

    func run() throws {
        guard current || check else {
            switch format {
            case .text: print(output.json ? try Settings.reported.jsonText : Settings.listing)
            case .markdown: print(Settings.document, terminator: "")
            }
            return
        }
        let reader = SettingsReader()
        if current {
            let given = try Settings.given(reader)
            print(output.json ? try given.jsonText : Settings.listing(given))
        }
        if check { _ = try ServerSettings(reader) }
    }
}
