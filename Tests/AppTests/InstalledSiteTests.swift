import Foundation
import TestSupport
import Testing

@Suite("A site that is installed as the manual says", .blocking, .thorough)
struct InstalledSiteTests {
    @Test("works under systemd, with every block of the manual as pasted")
    func manual() async throws {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Python/installed_site.py").path
        let folder = URL(fileURLWithPath: try Program.server.path).deletingLastPathComponent().path
        let outcome = try await Program(name: "python3", folder: "/usr/bin").run([program, folder])
        // What it says of a machine that can't boot a copy of itself, in a container for example.
        if outcome.status == 77 { return print(outcome.output) }
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
    }
}
