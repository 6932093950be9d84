import Foundation
import TestSupport
import Testing

@Suite("The judge of game days", .blocking, .thorough)
struct GameDayTests {
    @Test("finds what is wrong in histories, and in servers that lie")
    func judge() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let outcome = try await Program(name: "python3", folder: "/usr/bin").run(
            ["\(folder)/../Python/game_day_tests.py"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
