import FaveGames
import Foundation
import Testing

@testable import Views

@Suite("Models of pages")
struct ModelTests {
    @Test("fold a comment that takes more than six lines where lines are longest")
    func folding() {
        for (comment, isLong) in [
            ("", false), ("Cake.", false), (String(repeating: "a", count: 56 * 6), false),
            (String(repeating: "a", count: 56 * 6 + 1), true),
            (String(repeating: "山", count: 28 * 6), false),
            (String(repeating: "山", count: 28 * 6 + 1), true),
            (String(repeating: "\n", count: 5), false), (String(repeating: "\n", count: 6), true),
            ("a\n" + String(repeating: "b", count: 57) + "\n\nc\nd", false),
            ("a\n" + String(repeating: "b", count: 57) + "\n\nc\nd\ne", true),
        ] { #expect(comment.isLong == isLong, "\(comment)") }
    }

    @Test("have a pager only where there is another page")
    func pagers() throws {
        #expect(Pager(path: "/p", next: nil, isFirst: true) == nil)
        let first = try #require(Pager(path: "/p", next: "abc", isFirst: true))
        #expect(first.first == nil)
        #expect(first.next == "/p?cursor=abc")
        let last = try #require(Pager(path: "/p", next: nil, isFirst: false))
        #expect(last.first == "/p")
        #expect(last.next == nil)
    }

    @Test("write what is searched for into addresses so that it is read as the same")
    func searches() {
        #expect(Path.search("/games", nil) == "/games")
        #expect(
            Path.search("/games", SearchText("R&D #1+é")) == "/games?search=R%26D%20%231%2B%C3%A9")
    }

    @Test("give the same person the same colour")
    func hues() {
        let rob = Person(username: "rob", displayName: "Rob").placeholder
        let other = Person(username: "rob", displayName: "Another").placeholder
        #expect(rob.hue == other.hue)
        #expect((0...7).contains(rob.hue))
    }

    @Test("show each person once among those who say nothing about a game")
    func faces() {
        let platform = Platform(id: 6, slug: "win", name: "PC", abbreviation: nil)
        let rob = UUID()
        let inclusions = [rob, UUID(), rob].map { user in
            Inclusion(
                id: UUID(), userID: user, username: "rob", displayName: "Rob", position: 1,
                platform: platform, comment: "", createdAt: .distantPast, updatedAt: .distantPast)
        }
        #expect(inclusions.oncePerPerson.map(\.id) == inclusions.prefix(2).map(\.id))
    }

    @Test(
        "name a platform as people do",
        arguments: [
            (6, "PC (Microsoft Windows)", "PC", "PC"), (49, "Xbox One", "XONE", "Xbox One"),
            (20, "Nintendo DS", "NDS", "DS"), (400, "Some Console", "somecon", "Some Console"),
        ])
    func platforms(id: Int, name: String, abbreviation: String, short: String) {
        let platform = Platform(id: id, slug: "p", name: name, abbreviation: abbreviation)
        #expect(platform.shortName == short)
    }

    @Test("fill a bar by the share of the first one's count")
    func bars() {
        let platform = Platform(id: 48, slug: "ps4--1", name: "PlayStation 4", abbreviation: "PS4")
        func ranked(_ id: Int, rank: Int, count: Int) -> RankedGame {
            RankedGame(
                game: Game(id: id, name: GameTitle("G\(id)"), releaseYear: nil, coverImageID: nil),
                rank: rank, includedBy: count)
        }
        let games = [
            ranked(1, rank: 1, count: 1000), ranked(2, rank: 2, count: 500),
            ranked(3, rank: 2, count: 500), ranked(4, rank: 4, count: 1),
        ]
        let rows = RankingRow.rows(games, on: platform)
        #expect(rows.map(\.percent) == [100, 50, 50, 1])
        #expect(rows.map(\.isTied) == [false, true, true, false])
        #expect(rows[3].href == "/platforms/ps4--1/games/4")
    }

    @Test("have addresses with UUIDs in lower case")
    func identifiers() {
        for _ in 0..<100 {
            let id = UUID()
            #expect(Path.heart(id) == "/entries/\(id.uuidString.lowercased())/heart")
        }
    }
}
