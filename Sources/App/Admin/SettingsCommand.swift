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

    @Flag(help: "Print what is set and where, without secrets, instead of all settings.")
    var current = false

    @Flag(help: "Only check what is set; exit with status 1 if something is wrong.")
    var check = false

    func run() throws {
        guard current || check else {
            switch format {
            case .text: print(Settings.listing)
            case .markdown: print(Settings.document, terminator: "")
            }
            return
        }
        let reader = SettingsReader()
        if current { print(try Settings.current(reader)) }
        if check { _ = try ServerSettings(reader) }
    }
}
