import ArgumentParser

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print all settings with their meanings and defaults.",
        discussion: "fave-server and fave-admin read settings from environment variables.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, markdown
        /// A file for systemd's `EnvironmentFile=`, with every setting as a comment.
        case environment
    }

    @Option(
        help: """
            text, as in fave-server --help; markdown; or environment, a file of variables in which \
            every setting is a comment.
            """)
    var format = Format.text

    func run() {
        switch format {
        case .text: print(Settings.listing)
        case .markdown: print(Settings.document, terminator: "")
        case .environment: print(Settings.environmentFile, terminator: "")
        }
    }
}
