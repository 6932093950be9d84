import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A list", .blocking)
struct ListTests {
    private let database: TestDatabase
    private let user: UUID
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        user = try database.makeUser("rob")
        games = try database.games(on: [ps4, pc], 8)
    }

    private func entry(_ index: Int, on platform: Int = ps4) -> DraftEntry {
        DraftEntry(gameID: games[index], platformID: platform)
    }

    private func pick(_ index: Int, on platform: Int = ps4) -> Pick {
        Pick(game: games[index], platform: platform)
    }

    private func version() throws -> Int {
        try database.session().query(
            "SELECT version FROM lists JOIN users ON id = user_id WHERE username = 'rob'")[0][0]
    }

    private func expectConsistent() throws {
        #expect(try database.brokenRules() == [])
    }

    @Test("of a user who has none is empty, and nil if there is no such user")
    func nobody() async throws {
        try await withStore(database) { [user] store in
            let list = try await store.list(userID: user)
            #expect(list?.entries == [])
            #expect(list?.owner.username == "rob")
            #expect(list?.owner.listUpdatedAt == nil)
            #expect(try await store.list(username: "rob", seenBy: nil) == list)
            #expect(try await store.list(username: "nobody-of-this-name", seenBy: nil) == nil)
            #expect(try await store.list(userID: UUID()) == nil)
            #expect(try await store.changeList(userID: UUID()) { ListDraft($0) } == nil)
        }
    }

    @Test("takes entries at the end and in between, and those below move down")
    func inserts() async throws {
        try await withStore(database) { [self] store in
            for (index, position) in [(0, nil), (1, 1), (2, 2), (3, nil), (4, 1)] as [(Int, Int?)] {
                let list = try await store.changeList(userID: user) { list in
                    var draft = ListDraft(list)
                    try draft.insert(entry(index), at: position)
                    return draft
                }
                #expect(list?.entries.map(\.position) == Array(1...index + 1))
            }
            let list = try await store.list(userID: user)
            #expect(list?.entries.map(\.game.id) == [4, 1, 2, 0, 3].map { games[$0] })
            #expect(list?.entries.allSatisfy { $0.includedBy == 1 } == true)
            await #expect(throws: ListError.tooManyEntries) {
                try await store.changeList(userID: user) { list in
                    var draft = ListDraft(list)
                    try draft.insert(entry(5), at: nil)
                    return draft
                }
            }
        }
        try expectConsistent()
    }

    @Test("keeps its entries' identities when they move or get another comment")
    func moves() async throws {
        try await withStore(database) { [self] store in
            let before = try #require(try await store.put((0..<5).map { pick($0) }, for: user))
            let last = before.entries[4]
            let moved = try await store.changeList(userID: user) { list in
                var draft = ListDraft(list)
                let because = try Comment("Because.")
                try draft.change(last.id, position: 1) { $0.comment = because }
                return draft
            }
            let after = try #require(moved)
            #expect(
                after.entries.map(\.id) == [4, 0, 1, 2, 3].map { before.entries[$0].id })
            #expect(after.entries.map(\.position) == [1, 2, 3, 4, 5])
            #expect(after.entries[0].comment == "Because.")
            #expect(after.entries[0].updatedAt > last.updatedAt)
            #expect(after.entries[1].updatedAt == before.entries[0].updatedAt, "it only moved")
            #expect(
                after.entries.map(\.createdAt).sorted() == before.entries.map(\.createdAt).sorted())
        }
        try expectConsistent()
    }

    @Test("says when an entry last changed, whatever of it did")
    func changeTimes() async throws {
        let (comment, tags) = (try Comment("Because."), try Tags(["rpg"]))
        let rating = try #require(Rating(4))
        let changes: [(String, @Sendable (inout DraftEntry) -> Void)] = [
            ("comment", { $0.comment = comment }), ("rating", { $0.rating = rating }),
            ("tags", { $0.tags = tags }),
        ]
        try await withStore(database) { [self] store in
            var before = try #require(try await store.put([pick(0), pick(1)], for: user))
            for (what, change) in changes {
                let changed = try await store.changeList(userID: user) { list in
                    var draft = ListDraft(list)
                    try draft.change(list.entries[0].id, change)
                    return draft
                }
                let after = try #require(changed)
                #expect(after.entries[0].updatedAt > before.entries[0].updatedAt, "\(what)")
                #expect(after.entries[1].updatedAt == before.entries[1].updatedAt, "\(what)")
                before = after
            }
        }
    }

    @Test("keeps an entry's identity when it gets another game or platform, and counts anew")
    func changesGame() async throws {
        try await withStore(database) { [self] store in
            let before = try #require(try await store.put([pick(0), pick(1)], for: user))
            let changed = try await store.changeList(userID: user) { list in
                var draft = ListDraft(list)
                try draft.change(list.entries[0].id) {
                    ($0.gameID, $0.platformID) = (games[2], pc)
                }
                return draft
            }
            #expect(changed?.entries.map(\.id) == before.entries.map(\.id))
            #expect(changed?.entries[0].game.id == games[2])
            #expect(changed?.entries[0].platform.id == pc)
            #expect(changed?.entries[0].includedBy == 1)
        }
        try expectConsistent()
    }

    @Test("closes the gap when an entry goes")
    func removes() async throws {
        try await withStore(database) { [self] store in
            let before = try #require(try await store.put((0..<5).map { pick($0) }, for: user))
            for (index, left) in [(1, [0, 2, 3, 4]), (3, [0, 2, 4]), (0, [2, 4])] {
                let list = try await store.changeList(userID: user) { list in
                    var draft = ListDraft(list)
                    try draft.remove(before.entries[index].id)
                    return draft
                }
                #expect(list?.entries.map(\.id) == left.map { before.entries[$0].id })
                #expect(list?.entries.map(\.position) == Array(1...left.count))
            }
            #expect(try await store.put([], for: user)?.entries == [])
        }
        try expectConsistent()
    }

    @Test("that is replaced keeps the entries of the picks that stay")
    func replaces() async throws {
        try await withStore(database) { [self] store in
            let before = try #require(
                try await store.put((0..<5).map { pick($0) }, for: user, comment: "old"))
            let after = try #require(
                try await store.put(
                    [pick(3), pick(0, on: pc), pick(6), pick(0)], for: user, comment: "new"))
            #expect(
                after.entries.map(\.game.id) == [games[3], games[0], games[6], games[0]])
            #expect(after.entries[0].id == before.entries[3].id)
            #expect(after.entries[3].id == before.entries[0].id)
            #expect(!before.entries.map(\.id).contains(after.entries[1].id))
            #expect(after.entries.allSatisfy { $0.comment == "new" })
            // Everything backwards, which no order of single updates could do.
            let backwards = try #require(
                try await store.put(
                    after.entries.reversed().map {
                        Pick(game: $0.game.id, platform: $0.platform.id)
                    },
                    for: user, comment: "new"))
            #expect(backwards.entries.map(\.id) == after.entries.reversed().map(\.id))
        }
        try expectConsistent()
    }

    @Test("is not written when nothing changes")
    func unchanged() async throws {
        try await withStore(database) { [self] store in
            let before = try await store.put([pick(0), pick(1)], for: user, comment: "Why")
            let version = try version()
            #expect(version > 0)
            #expect(try await store.put([pick(0), pick(1)], for: user, comment: "Why") == before)
            #expect(try await store.changeList(userID: user) { ListDraft($0) } == before)
            #expect(try self.version() == version)
            try await store.put([pick(1), pick(0)], for: user, comment: "Why")
            #expect(try self.version() > version)
        }
    }

    @Test("is stored as it was written, whatever it is made of")
    func texts() async throws {
        let odd = [
            #"{},"" \" ( ) '' NULL"#, "\\", "\"", "a\n\u{301}b", "NULL", "(,)",
        ]
        try await withStore(database) { [self] store in
            for text in odd {
                let entry = DraftEntry(
                    gameID: games[0], platformID: ps4, comment: try Comment(text),
                    rating: Rating(4), tags: try Tags([#"a\b "c" {d}"#, "NULL", "(e)"]))
                let saved = try #require(
                    try await store.changeList(userID: user) {
                        try ListDraft([entry, self.entry(1)], replacing: $0)
                    })
                #expect(
                    saved.entries[0].comment.unicodeScalars.elementsEqual(
                        entry.comment.text.unicodeScalars))
                #expect(saved.entries[0].tags == entry.tags.texts)
                #expect(saved.entries.map(\.rating) == [Rating(4), nil])
                #expect(saved.entries[1].comment == "" && saved.entries[1].tags == [])
            }
        }
        try expectConsistent()
    }

    @Test("refuses games and platforms that are not known or do not belong together")
    func unknownPicks() async throws {
        let only = try database.makeGames(["Only on PlayStation 4"])[0]
        try await withStore(database) { [self] store in
            let before = try await store.put([pick(0)], for: user)
            let unknown = 2_000_000_000
            let wrong = [
                WrongPick(at: 1, Pick(game: unknown, platform: ps4), .unknownGame),
                WrongPick(at: 3, Pick(game: games[1], platform: unknown), .unknownPlatform),
                WrongPick(at: 4, Pick(game: only, platform: pc), .notOnPlatform),
            ]
            await #expect(throws: ListError.wrongPicks(wrong)) {
                try await store.put(
                    [pick(0), wrong[0].pick, pick(2), wrong[1].pick, wrong[2].pick], for: user)
            }
            #expect(try await store.list(userID: user) == before)
        }
        try expectConsistent()
    }

    @Test("refuses a draft with six entries or a game twice for one platform")
    func badDrafts() async throws {
        try await withStore(database) { [self] store in
            await #expect(throws: ListError.tooManyEntries) {
                try await store.put((0..<6).map { pick($0) }, for: user)
            }
            await #expect(throws: ListError.duplicateGame(game: games[0], platform: ps4)) {
                try await store.put([pick(0), pick(1), pick(0)], for: user)
            }
            let both = try await store.put([pick(0), pick(0, on: pc)], for: user)
            #expect(both?.entries.count == 2)
        }
    }

    @Test("changes not at all when the one who changes it thinks better of it")
    func changeThrows() async throws {
        struct Second: Error {}
        try await withStore(database) { [self] store in
            let before = try await store.put([pick(0)], for: user)
            await #expect(throws: Second.self) {
                try await store.changeList(userID: user) { _ in throw Second() }
            }
            #expect(try await store.list(userID: user) == before)
        }
    }

    @Test("takes comments up to the limit, as they are")
    func comments() async throws {
        try await withStore(database) { [self] store in
            let comment = String(repeating: "🎮\n", count: 499) + "\\'\""
            #expect(comment.unicodeScalars.count == 1_001)
            let fitting = String(comment.dropFirst())
            let list = try await store.put([pick(0)], for: user, comment: fitting)
            #expect(list?.entries.first?.comment == fitting.trimmingCharacters(in: .newlines))
        }
    }

    @Test("stands among the recent ones, the latest first, while it has entries")
    func recent() async throws {
        let others = try (0..<3).map { try database.makeUser("user-\($0)") }
        try await withStore(database) { [self] store in
            for other in others { try await store.put([pick(0), pick(1)], for: other) }
            try await store.put([pick(2)], for: others[0])
            try await store.put([], for: others[1])
            let recent = try await store.recentLists(limit: 10).lists
            #expect(recent.map(\.owner.username) == ["user-0", "user-2"])
            #expect(recent.first?.games.map(\.id) == [games[2]])
            #expect(try await store.recentLists(limit: 1).lists.map(\.owner.username) == ["user-0"])
            let some = try await store.lists(userIDs: [others[2], UUID(), others[1], user])
            #expect(some.map(\.owner.username) == ["user-2", "user-1", "rob"])
            #expect(some.map(\.games.count) == [2, 0, 0])
        }
    }

    @Test("is on one page of the recent ones, forth and back")
    func recentPages() async throws {
        let names = (0..<7).map { "user-\($0)" }
        let others = try names.map { try database.makeUser($0) }
        try await withStore(database) { [self] store in
            for other in others { try await store.put([pick(0)], for: other) }
            // Equal times are told apart by the id.
            try database.session().execute(
                "UPDATE lists SET updated_at = date_trunc('hour', now()) WHERE updated_at IS NOT NULL"
            )
            let all = try await store.recentLists(limit: 10).lists.map(\.owner.username)
            #expect(Set(all) == Set(names))
            var found: [String] = []
            var pages: [RecentLists] = []
            repeat {
                let page = try await store.recentLists(limit: 3, at: pages.last?.next)
                found += page.lists.map(\.owner.username)
                pages.append(page)
            } while pages.last?.next != nil
            #expect(found == all)
            #expect(pages.map(\.lists.count) == [3, 3, 1])
            #expect(pages[0].previous == nil)
            let back = try await store.recentLists(limit: 3, at: pages[2].previous)
            #expect(back.lists.map(\.owner.username) == pages[1].lists.map(\.owner.username))
            #expect(back.next == pages[1].next && back.previous == pages[1].previous)
        }
    }
}
