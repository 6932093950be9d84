import ArgumentParser

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print all settings with their meanings and defaults.",
        discussion: "fave-server and fave-admin read settings from environment variables.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, markdown
    }

    @Option(help: "text, as in fave-server --help, or markdown.")
    var format = Format.text

    func run() {
        switch format {
        case .text: print(Settings.listing)
        case .markdown: print(Settings.document, terminator: "")
        }
    }
}
