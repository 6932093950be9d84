import ArgumentParser

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the setup and explain in plain words what is wrong.",
        discussion: """
            Checks the settings, certificates, fonts, the database and its schema, whether a write works, \
            the clocks, backups, the signing keys, IGDB, the mail server, the OpenID Connect providers and \
            the public address. If fave-server responds there, some of what it keeps in memory is compared \
            with the database. Changes nothing, except that it may store a new token from IGDB. The exit \
            status is 1 if something is wrong.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Checkup(reader: SettingsReader(), isRunning: true).findings()
            .report(asJSON: output.json)
    }
}
