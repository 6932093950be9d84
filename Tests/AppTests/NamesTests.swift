import FaveGames
import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import App

@Suite("The starter catalogue", .blocking)
struct NamesTests {
    /// Searches as people type them who know a game by another name, each with the game.
    private static func searches(_ name: String) throws -> [(game: Int, text: SearchText)] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Searches/\(name).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (
                try #require(Int(parts[0])), try #require(SearchText(String(parts[1])), "\(line)")
            )
        }
    }

    @Test(
        "finds games by the names that people know them by, in many languages, and by parts of these",
        arguments: ["names", "parts"])
    func names(file: String) async throws {
        let database = try TestDatabase(.migrated)
        let store = BulkStore(try database.session())
        _ = try store.seed(StarterData.platforms())
        _ = try store.seed(StarterData.games())
        let searches = try Self.searches(file)
        #expect(searches.count >= 200)
        try await withStore(database) { store in
            var first = 0
            var missed: [String] = []
            for (game, text) in searches {
                let found = try await store.games(matching: text, platform: nil, limit: 5)
                if found.first?.game.id == game { first += 1 }
                if !found.contains(where: { $0.game.id == game }) { missed.append(text.text) }
            }
            #expect(missed.count * 100 <= searches.count * 3, "missed \(missed)")
            #expect(first * 100 >= searches.count * 95, "\(first) of \(searches.count) come first")
        }
    }

    @Test("says which name a game was found by, unless that is its main name")
    func foundName() async throws {
        let database = try TestDatabase(.migrated)
        let bulk = BulkStore(try database.session())
        _ = try bulk.seed(StarterData.platforms())
        _ = try bulk.seed(StarterData.games().filter { [4598, 7346].contains($0.game.id) })
        // Seeding again changes nothing.
        let again = try bulk.seed(
            StarterData.games().filter { [4598, 7346].contains($0.game.id) })
        #expect(again.unchanged == 2)
        #expect(try await found("gryzor", database) == ["Gryzor"])
        #expect(try await found("contra", database) == [nil])
        #expect(
            try await found("ぶれすおぶざわいるど", database)
                == ["ゼルダの伝説 ブレス オブ ザ ワイルド"])
        #expect(try await found("ＢＲＥＡＴＨ　ｏｆ　ｔｈｅ　ｗｉｌｄ", database) == [nil])
        // Too short for trigrams.
        #expect(try await found("gr", database) == ["Gryzor"])
    }

    /// The further names of the games that are found.
    private func found(_ text: String, _ database: TestDatabase) async throws -> [String?] {
        let search = try #require(SearchText(text))
        return try await withStore(database) { store in
            try await store.games(matching: search, platform: nil, limit: 5).map(\.foundName)
        }
    }
}
