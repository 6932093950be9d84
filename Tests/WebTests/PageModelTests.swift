import FaveGames
import Foundation
import Testing

@testable import Web

@Suite("Page models")
struct PageModelTests {
    @Test(
        "group the digits of a count",
        arguments: [
            (0, "0", false), (1, "1", true), (999, "999", false), (1000, "1,000", false),
            (12_345, "12,345", false), (1_234_567, "1,234,567", false),
        ])
    func counts(value: Int, text: String, one: Bool) {
        let model = CountModel(value)
        #expect(model.text == text)
        #expect(model.one == one)
    }

    @Test("write a day in words")
    func times() {
        let leap = TimeModel(Date(timeIntervalSince1970: 1_709_210_096))
        #expect(leap.text == "29 February 2024")
        #expect(leap.iso == "2024-02-29T12:34:56Z")
        #expect(TimeModel(Date(timeIntervalSince1970: 1_704_067_199)).text == "31 December 2023")
        #expect(TimeModel(Date(timeIntervalSince1970: 0)).text == "1 January 1970")
    }

    @Test("have a pager only where there is another page")
    func pagers() throws {
        #expect(PagerModel(path: "/p", next: nil, isFirst: true) == nil)
        let first = try #require(PagerModel(path: "/p", next: "abc", isFirst: true))
        #expect(first.first == nil)
        #expect(first.next == "/p?cursor=abc")
        let last = try #require(PagerModel(path: "/p", next: nil, isFirst: false))
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
        let rob = PersonModel(username: "rob", displayName: "Rob")
        #expect(rob.hue == PersonModel(username: "rob", displayName: "Another").hue)
        #expect(rob.hue.wholeMatch(of: /hue-[0-7]/) != nil)
    }

    @Test("fill a bar by the share of the first one's count")
    func bars() {
        let platform = Platform(id: 48, slug: "ps4--1", name: "PlayStation 4", abbreviation: "PS4")
        func ranked(_ id: Int, rank: Int, count: Int) -> RankedGame {
            RankedGame(
                game: Game(id: id, name: "G\(id)", releaseYear: nil, coverImageID: nil),
                rank: rank, includedBy: count)
        }
        let games = [
            ranked(1, rank: 1, count: 1000), ranked(2, rank: 2, count: 500),
            ranked(3, rank: 2, count: 500), ranked(4, rank: 4, count: 1),
        ]
        let models = games.map {
            RankedModel($0, among: games, highest: 1000, platform: platform)
        }
        #expect(models.map(\.percent) == [100, 50, 50, 1])
        #expect(models.map(\.tied) == [false, true, true, false])
        #expect(models[3].href == "/platforms/ps4--1/games/4")
    }
}
