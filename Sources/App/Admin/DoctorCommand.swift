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

            With --report, the result is for a bug report that everyone reads: it adds versions, what is set, \
            and the sizes of the tables, and leaves out secrets, addresses, and the names of people, \
            machines, databases and files.
            """)

    @OptionGroup var output: OutputOptions

    @Flag(help: "Print a report that is safe to paste into a bug report.")
    var report = false

    func validate() throws {
        if report, output.json { throw ValidationError("--report is text: leave out --json.") }
    }

    func run() async throws {
        let reader = SettingsReader()
        let findings = await Checkup(reader: reader, isRunning: true).findings()
        guard report else { return try findings.report(asJSON: output.json) }
        print(SetupReport(reader, findings))
        try findings.failIfBad()
    }
}
