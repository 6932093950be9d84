import Foundation
import TestSupport
import Testing

@testable import App

@Suite("The settings of the installed site", .blocking)
struct InstalledSettingsTests {
    /// Writes files below the folder, as if it were the root.
    private static func write(_ files: [String: String], below folder: TemporaryFolder) throws {
        for (path, text) in files {
            let url = URL(fileURLWithPath: folder.path + path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    @Test("are the package's, the operator's, and those of the folder in the order of their names")
    func precedence() async throws {
        try await TemporaryFolder.with { folder in
            try Self.write(
                [
                    "/usr/share/fave-games/package.conf": "A=package\nB=package\n",
                    "/etc/fave-games/fave-games.conf": "B=operator\nC=operator\nD=operator",
                    "/etc/fave-games/fave-games.conf.d/20.conf": "D=20\n",
                    "/etc/fave-games/fave-games.conf.d/10.conf": "C=10\nD=10\n",
                    "/etc/fave-games/fave-games.conf.d/30.conf~": "D=30\n",
                    "/etc/fave-games/fave-games.conf.d/.hidden.conf": "D=hidden\n",
                ], below: folder)
            let variables = try InstalledSettings.variables(below: folder.path)
            #expect(
                variables.mapValues(\.value) == [
                    "A": "package", "B": "operator", "C": "10", "D": "20",
                ])
            let file = try #require(variables["D"]?.file)
            #expect(file == folder.path + "/etc/fave-games/fave-games.conf.d/20.conf")
        }
    }

    @Test("may have the line ends of Windows")
    func lineEnds() {
        #expect(
            EnvironmentFile.variables("# Settings\r\nA=1\r\nB=\"2 3\" \r\n\r\nC=\u{301}4\r")
                == ["A": "1", "B": "2 3", "C": "\u{301}4"])
    }

    @Test("are nothing where no site is installed, and refused if they are not text")
    func unusual() async throws {
        try await TemporaryFolder.with { folder in
            #expect(try InstalledSettings.variables(below: folder.path).isEmpty)
            let path = folder.path + "/etc/fave-games/fave-games.conf"
            try Self.write(["/etc/fave-games/fave-games.conf": "A=1"], below: folder)
            try Data([0x41, 0x3d, 0xff]).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: OperatorError.self) {
                try InstalledSettings.variables(below: folder.path)
            }
            #expect(error?.description == "\(path) is not in UTF-8.")
        }
    }

    @Test("say which values come from which file, without secrets")
    func current() throws {
        let installed = InstalledSettings(
            origins: ["SITE_NAME": "/etc/a.conf", "DATABASE_URL_FILE": "/etc/b.conf"], problem: nil)
        let secret = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("postgresql://:hush@db/x".utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        let reader = SettingsReader(
            environment: [
                "SITE_NAME": "Couch Club", "DATABASE_URL_FILE": secret.path, "LOOPS": "2",
                "SMTP_PASSWORD": "hush", "IGDB_URL": "https://me:hush@proxy.example",
            ], installed)
        let text = Settings.listing(try Settings.given(reader))
        #expect(text.contains("SITE_NAME=Couch Club\n    from /etc/a.conf\n"))
        #expect(text.contains("DATABASE_URL=(secret)\n    from /etc/b.conf\n"))
        #expect(text.contains("LOOPS=2\n    from the environment\n"))
        #expect(!text.contains("hush"))
        #expect(
            text.contains(
                "The other \(Settings.all.count - Settings.unlisted.settings.count - 4) settings have their defaults"
            ))
    }

    @Test("that can't be read are an error of every command, not silently those of another site")
    func unreadable() {
        let reader = SettingsReader(
            environment: [:], InstalledSettings(origins: [:], problem: "Use sudo."))
        let error = #expect(throws: SettingError.self) { try ServerSettings(reader) }
        #expect(error?.description == "Use sudo.")
    }
}
