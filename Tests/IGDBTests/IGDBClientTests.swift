import FaveGames
import Foundation
import Languages
import Sockets
import TestSupport
import Testing

@testable import IGDB

@Suite("The client of IGDB", .blocking)
struct IGDBClientTests {
    @Test("finds what people mean, by one request each")
    func finds() async throws {
        let first = [
            ("hollow k", "Hollow Knight"), ("pokemon snap", "Pokémon Snap"),
            ("spider man", "Spider-Man"), ("marvel's spider-m", "Marvel's Spider-Man"),
            ("botw", "The Legend of Zelda: Breath of the Wild"), ("ICO", "ICO"),
            ("gta v", "Grand Theft Auto V"), ("x-blades", "X-Blades"), ("1040", "ICO"),
            ("2048", "2048"), ("okami", "Okami"),
            ("ブレス", "The Legend of Zelda: Breath of the Wild"),
        ]
        try await IGDBFixture.run { fixture in
            for (text, name) in first {
                #expect(try await fixture.search(text).first ?? "" == name, "\(text)")
            }
            let log = try fixture.standIn.log()
            #expect(log.questions.map(\.endpoint) == first.map { _ in "/v4/multiquery" })
            #expect(log.questions.allSatisfy { $0.status == 200 })
            #expect(log.minted == 1)
        }
    }

    @Test("has editions and additions behind the game, and does not hide them")
    func ranked() async throws {
        try await IGDBFixture.run { fixture in
            let games = try await onLoop(fixture.loop) {
                try await fixture.client.games(matching: "Marvel's Spider-Man", for: .site)
            }
            #expect(games.first?.name == "Marvel's Spider-Man")
            let names = games.map(\.name)
            let edition = try #require(
                games.first { $0.name == "Marvel's Spider-Man: Game of the Year Edition" })
            #expect(edition.isEdition)
            let second = try #require(names.firstIndex(of: "Marvel's Spider-Man 2"))
            let heist = try #require(names.firstIndex(of: "Marvel's Spider-Man: The Heist"))
            #expect(games[heist].type == 1)
            #expect(try #require(names.firstIndex(of: edition.name)) > second)
            #expect(heist > second)
        }
    }

    @Test("finds by any text without a query that is refused, or another than that")
    func anyText() async throws {
        let texts = [
            "\"; fields *; limit 500; search \"", "\\", "\\\" ; limit 1;", "\u{0}\n\r\t",
            "} query games \"x\" {", "*\"*", "\u{202E}\u{2028}\u{FFFF}🎮",
        ]
        try await IGDBFixture.run { fixture in
            for text in texts { _ = try await fixture.search(text) }
            let quoted = try await fixture.search("untitled \"quoted\" \\ game")
            #expect(quoted == ["Untitled \"Quoted\" \\ Game"])
            #expect(try fixture.standIn.log().questions.allSatisfy { $0.status == 200 })
        }
    }

    @Test("tells of games by their ids, with all we ask for, and leaves out what IGDB lacks")
    func byID() async throws {
        try await IGDBFixture.run { fixture in
            let games = try await fixture.games([1030, 999_999, 1053, 1068])
            #expect(Set(games.map(\.id)) == [1030, 1053, 1068])
            let zelda = try #require(games.first { $0.id == 1030 })
            #expect(zelda.releaseYear == 2017)
            #expect(Set(zelda.platformIDs) == [41, 130])
            #expect(zelda.coverImageID == "si1030")
            #expect(zelda.screenshotImageIDs == ["sc1030_1", "sc1030_2"])
            let names = zelda.names
            #expect(names.contains { $0.name == "BOTW" && $0.language == nil })
            #expect(names.contains { $0.name.hasPrefix("ゼルダ") && $0.language == .ja })
            #expect(games.first { $0.id == 1053 }?.isEdition == true)
            #expect(games.first { $0.id == 1068 }?.platformIDs == [99_991])
            #expect(try await fixture.games([]) == [])
            #expect(try fixture.standIn.log().questions.count == 1)
        }
    }

    @Test("asks for no more than five hundred games at once")
    func manyIDs() async throws {
        try await IGDBFixture.run { fixture in
            let games = try await fixture.games(Array(1...1100))
            #expect(games.count > 30)
            #expect(Set(games.map(\.id)).count == games.count)
            let questions = try fixture.standIn.log().questions
            #expect(questions.map(\.status) == [200, 200, 200])
        }
    }

    @Test("tells of all platforms")
    func platforms() async throws {
        try await IGDBFixture.run { fixture in
            let platforms = try await onLoop(fixture.loop) { try await fixture.client.platforms() }
            #expect(platforms.count == 17)
            let console = try #require(platforms.first { $0.id == 48 })
            #expect(console.name == "PlayStation 4")
            #expect(console.slug == "ps4--1")
            #expect(console.abbreviation == "PS4")
            #expect(console.generation == 8)
        }
    }

    @Test("keeps to the pace of IGDB, whatever is asked of it at once")
    func pace() async throws {
        try await IGDBFixture.run(rate: 4) { fixture in
            // There is a token then, so those that follow keep their order.
            try await fixture.expectResponse()
            await fixture.advance(by: .seconds(2))
            let tasks = (0..<14).map { _ in fixture.ask() }
            for count in [4, 8, 12] {
                for task in tasks.prefix(count) { #expect(try await value(of: task) == nil) }
                try await fixture.waits(14 - count)
                await fixture.advance(by: .milliseconds(1049))
                #expect(try fixture.standIn.log().questions.count == 1 + count)
                await fixture.advance(by: .milliseconds(1))
            }
            for task in tasks { #expect(try await value(of: task) == nil) }
            #expect(try fixture.standIn.log().questions.count == 15)
        }
    }

    @Test("does not ask what nobody waits for any more, if it has not been asked yet")
    func cancelled() async throws {
        try await IGDBFixture.run(rate: 4) { fixture in
            try await fixture.expectResponse()
            let tasks = (0..<9).map { _ in fixture.ask() }
            try await fixture.waits(6)
            for task in tasks.suffix(4) { task.cancel() }
            for task in tasks.suffix(4) {
                #expect(try await value(of: task)?.code == .cancelled)
            }
            try await fixture.waits(2)
            await fixture.advance(by: .seconds(2))
            for task in tasks.prefix(5) { #expect(try await value(of: task) == nil) }
            #expect(try fixture.standIn.log().questions.count == 6)
        }
    }
}
