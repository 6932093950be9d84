import Foundation
import TestSupport
import Testing

/// `script/release`, in a small repository of its own, where `script/package` and `.ci/run` are
/// stand-ins.
@Suite("A release", .blocking)
struct ReleaseTests {
    private struct Repository {
        let folder: TemporaryFolder

        init(_ folder: TemporaryFolder) throws {
            self.folder = folder
            for script in ["script/release", "script/common.bash"] {
                let file = TestDatabase.repository + "/" + script
                try write(script, String(contentsOfFile: file, encoding: .utf8))
            }
            try write(
                "script/package",
                """
                #!/bin/sh
                mkdir -p .build/package
                grep -h 'static let version' Sources/FaveGames/Site/Release.swift \\
                    >.build/package/fave-games_amd64.deb
                """)
            try write(".ci/run", "#!/bin/sh\n")
            try write(".gitignore", ".build\n")
            try write(
                "Sources/FaveGames/Site/Release.swift",
                "enum Release {\n    static let version = \"0.9.0\"\n}\n")
            try write(
                "CHANGELOG.md",
                """
                # Changelog

                ## 1.0.0, unreleased

                - Lists of five games.

                ## 0.9.0, 2026-01-01

                - The first attempt.

                """)
            try write("Migrations/0001_names.sql", "SELECT 1;\n")
            try write("Tests/AppTests/Releases/schema-1.dump", "a backup")
            for script in ["script/release", "script/package", ".ci/run"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/\(script)")
            }
            try git("init", "--quiet", "--initial-branch=main")
            try commit()
        }

        func write(_ name: String, _ text: String) throws {
            try folder.write(name, Data(text.utf8))
        }

        func read(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
        }

        func commit() throws {
            try git("add", "--all")
            try git("commit", "--quiet", "--message", "A change")
        }

        @discardableResult
        func git(_ arguments: String...) throws -> String {
            let (status, text) = try run("/usr/bin/env", ["git"] + arguments)
            try #require(status == 0, "\(arguments): \(text)")
            return text
        }

        func release(_ arguments: String...) throws -> (status: Int32, text: String) {
            try run(folder.path + "/script/release", arguments)
        }

        /// - Returns: The status, and what was written to both outputs.
        private func run(
            _ program: String, _ arguments: [String]
        ) throws -> (status: Int32, text: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
            // No settings of git but these.
            process.environment = [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
                "HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@fave.example",
                "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@fave.example",
            ]
            let output = Pipe.unshared()
            process.standardOutput = output
            process.standardError = output
            process.standardInput = FileHandle.nullDevice
            try process.start()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
        }

        /// All that a release changes here: the commit, the tags, and the working tree.
        var state: [String] {
            get throws {
                [
                    try git("rev-parse", "HEAD"), try git("tag"), try git("status", "--porcelain"),
                    try git("worktree", "list", "--porcelain"),
                ]
            }
        }
    }

    @Test("is committed, tagged and built with its notes and checksums")
    func release() async throws {
        try await TemporaryFolder.with { folder in
            let repository = try Repository(folder)
            let (status, text) = try repository.release("1.0.0")
            #expect(status == 0, "\(text)")
            #expect(text.contains("git push origin HEAD v1.0.0"))
            #expect(try repository.git("tag", "--points-at", "HEAD") == "v1.0.0\n")
            #expect(try repository.git("status", "--porcelain") == "")
            #expect(try repository.git("worktree", "list").split(separator: "\n").count == 1)
            let source = try repository.read("Sources/FaveGames/Site/Release.swift")
            #expect(source.contains("version = \"1.0.0\""))
            let heading = #/## 1\.0\.0, [0-9]{4}-[0-9]{2}-[0-9]{2}\n/#
            #expect(try repository.read("CHANGELOG.md").contains(heading))

            let built = ".build/releases/1.0.0/"
            let notes = try repository.read(built + "fave-games-1.0.0-notes.md")
            #expect(notes == "- Lists of five games.\n")
            // The package is of the release's own source.
            #expect(try repository.read(built + "fave-games_amd64.deb").contains("1.0.0"))
            let sums = try repository.read(built + "SHA256SUMS")
            #expect(sums.split(separator: "\n").count == 3)
            let check = try repository.git(
                "-c", "alias.check=!cd \(built) && sha256sum --check", "check", "SHA256SUMS")
            #expect(check.contains("fave-games-1.0.0.tar.gz: OK"))

            // On another machine, the same source has the same bytes.
            let archive = "\(folder.path)/\(built)fave-games-1.0.0.tar.gz"
            let first = try Data(contentsOf: URL(fileURLWithPath: archive))
            let again = try repository.release("--build")
            #expect(again.status == 0, "\(again.text)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == first)
            #expect(try repository.release("1.0.0").text.contains("v1.0.0 exists already"))
        }
    }

    @Test("changes nothing in a dry run, or if a step fails")
    func nothing() async throws {
        try await TemporaryFolder.with { folder in
            let repository = try Repository(folder)
            let before = try repository.state
            try repository.write(".build/releases/tree/left", "by an interrupted release")
            let dry = try repository.release("1.0.0", "--dry-run")
            #expect(dry.status == 0, "\(dry.text)")
            #expect(dry.text.contains("fave-games-1.0.0.tar.gz"))
            #expect(try repository.state == before)

            try repository.write("script/package", "#!/bin/sh\necho no compiler >&2\nexit 1\n")
            try repository.commit()
            let without = try repository.state
            let failed = try repository.release("1.0.0", "--checked")
            #expect(failed.status != 0 && failed.text.contains("no compiler"))
            #expect(try repository.state == without)

            try repository.write(".ci/run", "#!/bin/sh\nexit 1\n")
            try repository.commit()
            let unchecked = try repository.release("1.0.0")
            #expect(unchecked.status != 0 && unchecked.text.contains(".ci/run failed"))

            try repository.write(
                ".ci/run", "#!/bin/sh\ngit commit --quiet --allow-empty --message Another\n")
            try repository.commit()
            let moved = try repository.release("1.0.0")
            #expect(moved.status != 0 && moved.text.contains("HEAD has moved"))
            #expect(try repository.git("tag") == "")
        }
    }

    @Test("is refused unless everything is there")
    func refused() async throws {
        try await TemporaryFolder.with { folder in
            let repository = try Repository(folder)
            func expect(_ message: String, _ argument: String) throws {
                let outcome = try repository.release(argument)
                #expect(outcome.status == 1 && outcome.text.contains(message), "\(outcome.text)")
            }
            try expect("give the version as three numbers", "v1")
            try expect("give the version as three numbers", "1.0.0-rc1")
            try expect("there is no --fast", "--fast")
            try expect("no section \"## 2.0.0, unreleased\"", "2.0.0")
            try expect("v0.9.0 is not checked out", "--build")
            try repository.git("tag", "v1.5.0")
            try expect("1.0.0 is not later than the last release, 1.5.0", "1.0.0")
            try repository.git("tag", "--delete", "v1.5.0")

            try repository.write("Migrations/0002_more.sql", "SELECT 2;\n")
            try expect("commit your changes first", "1.0.0")
            try repository.commit()
            try expect("schema-2.dump is missing", "1.0.0")
        }
    }
}
