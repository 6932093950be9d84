import Foundation
import Testing

@testable import FaveGames

@Suite("A draft of a list")
struct ListDraftTests {
    private let new = DraftEntry(gameID: 7, platformID: 48)

    @Test("begins as the list is")
    func beginning() {
        let draft = ListDraft(.ofGames(3))
        #expect(draft.games == [1, 2, 3])
        #expect(draft.entries.map(\.id) == [.number(1), .number(2), .number(3)])
        #expect(draft.entries.map(\.comment.text) == ["why 1", "why 2", "why 3"])
    }

    @Test(
        "takes an entry at a position, and moves those from there on down",
        arguments: [
            (1, [7, 1, 2, 3]), (2, [1, 7, 2, 3]), (4, [1, 2, 3, 7]), (nil, [1, 2, 3, 7]),
        ] as [(Int?, [Int])])
    func insert(position: Int?, games: [Int]) throws {
        var draft = ListDraft(.ofGames(3))
        try draft.insert(new, at: position)
        #expect(draft.games == games)
    }

    @Test("takes an entry only where it leaves no hole", arguments: [-1, 0, 5, 6, Int.max])
    func insertOutOfRange(position: Int) {
        var draft = ListDraft(.ofGames(3))
        #expect(throws: ListError.positionOutOfRange(position, allowed: 1...4)) {
            try draft.insert(new, at: position)
        }
        #expect(draft == ListDraft(.ofGames(3)))
    }

    @Test("takes no sixth entry")
    func full() {
        var draft = ListDraft(.ofGames(5))
        #expect(throws: ListError.tooManyEntries) { try draft.insert(new, at: 1) }
        #expect(draft.games == [1, 2, 3, 4, 5])
    }

    @Test("takes a game once for each platform")
    func duplicates() throws {
        var draft = ListDraft(.ofGames(2))
        #expect(throws: ListError.duplicateGame(game: 2, platform: 48)) {
            try draft.insert(DraftEntry(gameID: 2, platformID: 48), at: nil)
        }
        try draft.insert(DraftEntry(gameID: 2, platformID: 6), at: nil)
        #expect(draft.games == [1, 2, 2])
    }

    @Test("is as it was after a change that is refused")
    func refusals() {
        let before = ListDraft(.ofGames(2))
        var draft = before
        #expect(throws: ListError.self) {
            try draft.insert(DraftEntry(gameID: 1, platformID: 48), at: nil)
        }
        #expect(draft == before)
        #expect(throws: ListError.self) {
            try draft.change(.number(2), position: 1) { $0.gameID = 1 }
        }
        #expect(draft == before)
        #expect(throws: ListError.self) { try draft.change(.number(2), position: 3) }
        #expect(draft == before)
    }

    @Test(
        "moves an entry and keeps the order of the others",
        arguments: [
            (1, 1, [1, 2, 3, 4]), (1, 4, [2, 3, 4, 1]), (4, 1, [4, 1, 2, 3]), (2, 3, [1, 3, 2, 4]),
            (3, 2, [1, 3, 2, 4]),
        ])
    func move(game: Int, position: Int, games: [Int]) throws {
        var draft = ListDraft(.ofGames(4))
        try draft.change(.number(game), position: position)
        #expect(draft.games == games)
        #expect(draft.entries.map(\.id) == games.map { .number($0) })
    }

    @Test("moves nothing out of the list", arguments: [0, 5, -3])
    func moveOutOfRange(position: Int) {
        var draft = ListDraft(.ofGames(4))
        #expect(throws: ListError.positionOutOfRange(position, allowed: 1...4)) {
            try draft.change(.number(1), position: position)
        }
    }

    @Test("changes only what is given, in place")
    func change() throws {
        var draft = ListDraft(.ofGames(3))
        let because = try Comment("because")
        try draft.change(.number(2)) { $0.comment = because }
        try draft.change(.number(3)) { $0.gameID = 9 }
        try draft.change(.number(1)) { $0.platformID = 6 }
        #expect(draft.games == [1, 2, 9])
        #expect(draft.entries.map(\.platformID) == [6, 48, 48])
        #expect(draft.entries.map(\.comment.text) == ["why 1", "because", "why 3"])
        #expect(draft.entries.map(\.id) == [.number(1), .number(2), .number(3)])
    }

    @Test("can have a comment taken away")
    func emptyComment() throws {
        var draft = ListDraft(.ofGames(1))
        try draft.change(.number(1)) { $0.comment = .empty }
        #expect(draft.entries[0].comment == .empty)
    }

    @Test("removes an entry, and those behind it move up")
    func remove() throws {
        var draft = ListDraft(.ofGames(3))
        try draft.remove(.number(2))
        #expect(draft.games == [1, 3])
    }

    @Test("knows only its own entries")
    func unknown() {
        var draft = ListDraft(.ofGames(3))
        #expect(throws: ListError.noSuchEntry(.number(8))) { try draft.remove(.number(8)) }
        #expect(throws: ListError.noSuchEntry(.number(8))) {
            try draft.change(.number(8), position: 1)
        }
    }
}

@Suite("A draft that replaces a list")
struct ListReplacementTests {
    private func entry(_ game: Int, on platform: Int = 48) -> DraftEntry {
        DraftEntry(gameID: game, platformID: platform)
    }

    @Test("keeps the identity of what stays, wherever it stands")
    func identity() throws {
        let draft = try ListDraft(
            [entry(3), entry(9), entry(1), entry(2, on: 6)], replacing: .ofGames(3))
        #expect(draft.games == [3, 9, 1, 2])
        #expect(draft.entries.map(\.id) == [.number(3), nil, .number(1), nil])
    }

    @Test("has the new comments, not the old ones")
    func comments() throws {
        let draft = try ListDraft([entry(1)], replacing: .ofGames(1))
        #expect(draft.entries[0].comment == .empty)
    }

    @Test("believes no identity from outside")
    func foreignIdentity() throws {
        let draft = try ListDraft(
            [DraftEntry(id: .number(50), gameID: 9, platformID: 48)], replacing: .ofGames(1))
        #expect(draft.entries[0].id == nil)
    }

    @Test("may be empty, and may be full")
    func sizes() throws {
        #expect(try ListDraft([], replacing: .ofGames(5)).entries.isEmpty)
        #expect(try ListDraft((1...5).map { entry($0) }, replacing: .ofGames(0)).games.count == 5)
    }

    @Test("has at most five entries, each pick once")
    func refusals() {
        #expect(throws: ListError.tooManyEntries) {
            try ListDraft((1...6).map { entry($0) }, replacing: .ofGames(0))
        }
        #expect(throws: ListError.duplicateGame(game: 1, platform: 48)) {
            try ListDraft([entry(1), entry(2), entry(1)], replacing: .ofGames(0))
        }
    }
}
