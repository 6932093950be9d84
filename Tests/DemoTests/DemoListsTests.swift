import Testing

@testable import Demo

@Suite("Demo lists")
struct DemoListsTests {
    /// Four hundred games, some of them well-known, on one to four of twelve platforms.
    private static let games: [DemoLists.Game] = {
        let platforms = [48, 130, 6, 49, 167, 169, 508, 19, 8, 9, 24, 114]
        let ids = DemoCatalogue.wellKnown.prefix(40) + Array(500_000..<500_360)
        return ids.enumerated().map { index, id in
            let count = 1 + index % 4
            return DemoLists.Game(
                id: id, name: "Game \(id)", year: index % 9 == 0 ? nil : 1985 + index % 40,
                platforms: (0..<count).map { platforms[(index + $0 * 5) % platforms.count] })
        }
    }()

    private static let platforms = Dictionary(
        uniqueKeysWithValues: games.map { ($0.id, Set($0.platforms)) })

    private let lists = DemoLists(seed: 1, games: games)

    @Test("are the same for the same seed, in whatever order they are made")
    func reproducible() {
        let again = DemoLists(seed: 1, games: Self.games)
        let indices = Array(0..<200) + [2_047, 2_048, 99_999, 4_000_000]
        let forwards = indices.map(lists.user)
        let backwards = Array(indices.reversed().map(again.user).reversed())
        #expect(forwards == backwards)
    }

    @Test("differ for another seed")
    func seeds() {
        let others = DemoLists(seed: 2, games: Self.games)
        let same = (0..<500).filter { lists.user($0) == others.user($0) }
        #expect(same.count < 5)
    }

    @Test("are the ones that other versions of this program make")
    func stable() {
        var generator = SeededGenerator(seed: 0)
        #expect(generator.next() == 0xe220_a839_7b1d_cdaf)  // SplitMix64's published sequence
        #expect(generator.next() == 0x6e78_9e6a_a1b9_65f4)
    }

    @Test("belong to users with valid, unique and unreserved names")
    func usernames() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-")
        let reserved = ["admin", "settings", "platforms", "games", "users", "sign-", "static"]
        var seen: Set<String> = []
        for index in Array(0..<50_000) + [10_000_000, .max] {
            let user = lists.user(index)
            #expect(seen.insert(user.username).inserted, "\(user.username) comes twice")
            #expect((2...30).contains(user.username.utf8.count), "\(user.username)")
            #expect(user.username.allSatisfy(allowed.contains), "\(user.username)")
            #expect(!reserved.contains { user.username.hasPrefix($0) }, "\(user.username)")
            #expect(!["me", "api"].contains(user.username))
            #expect((1...50).contains(user.displayName.count), "\(user.displayName)")
        }
    }

    @Test("give the first users handles without their number")
    func earlyBirds() {
        let numbered = (0..<DemoPeople.earlyBirds).filter {
            lists.user($0).username.hasSuffix(String($0)) && $0 > 99
        }
        #expect(numbered.isEmpty)
    }

    @Test("keep the rules of a list")
    func rules() {
        for index in 0..<20_000 {
            let user = lists.user(index)
            #expect(user.entries.count <= 5)
            #expect(Set(user.entries.map(\.gameID)).count == user.entries.count)
            #expect((0...400 * 86_400).contains(user.ageInSeconds))
            for entry in user.entries {
                #expect(Self.platforms[entry.gameID]?.contains(entry.platformID) == true)
                #expect(entry.comment.count <= 1_000)
                #expect(!entry.comment.contains("'"), "apostrophes are curly")
            }
        }
    }

    @Test("have snapshots of earlier years, when they were different")
    func snapshots() {
        let users = (0..<5_000).map(lists.user)
        let keepers = users.filter { !$0.snapshots.isEmpty }
        #expect((500...1_500).contains(keepers.count))
        #expect(keepers.contains { $0.snapshots.count == 2 })
        for user in keepers {
            #expect([[1], [2, 1]].contains(user.snapshots.map(\.yearsAgo)))
            let games = (user.snapshots.map(\.entries) + [user.entries]).map { $0.map(\.gameID) }
            for (earlier, later) in zip(games, games.dropFirst()) {
                #expect(Set(earlier) != Set(later))
                #expect(Set(earlier).count == earlier.count && (1...5).contains(earlier.count))
            }
            for entry in user.snapshots.flatMap(\.entries) {
                #expect(Self.platforms[entry.gameID]?.contains(entry.platformID) == true)
                #expect(entry.comment.count <= 1_000)
            }
        }
    }

    @Test("are mostly full, sometimes empty, and often say why")
    func shape() {
        let users = (0..<10_000).map(lists.user)
        let entries = users.flatMap(\.entries)
        #expect((3.9...4.4).contains(Double(entries.count) / 10_000))
        #expect((50...600).contains(users.count { $0.entries.isEmpty }))
        let silent = Double(entries.count { $0.comment.isEmpty }) / Double(entries.count)
        #expect((0.2...0.35).contains(silent))
        #expect(Set(entries.map(\.comment)).count > 3_000)
        #expect(entries.contains { $0.comment.contains("\n\n") })
        #expect(entries.contains { !$0.comment.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test("favour some games and platforms, and leave no platform out")
    func popularity() {
        var byGame: [Int: Int] = [:]
        var byPlatform: [Int: Int] = [:]
        for index in 0..<5_000 {
            for entry in lists.user(index).entries where entry.platformID == 48 {
                byGame[entry.gameID, default: 0] += 1
            }
        }
        for index in 0..<500 {
            for entry in lists.user(index).entries {
                byPlatform[entry.platformID, default: 0] += 1
            }
        }
        let counts = byGame.values.sorted(by: >)
        let total = counts.reduce(0, +)
        #expect(counts.prefix(5).reduce(0, +) * 5 > total, "the top 5 hold a fifth or more")
        #expect((counts.first ?? 0) > 10 * (counts.dropFirst(counts.count / 2).first ?? 0) / 2)
        #expect(byPlatform.count == Set(Self.platforms.values.joined()).count)
        let least = [48, 130, 6, 49].map { byPlatform[$0, default: 0] }.min() ?? 0
        #expect(least > 5 * byPlatform[114, default: 0])
    }

    @Test("need only as many games as there are")
    func smallCatalogue() {
        let game = DemoLists.Game(id: 7, name: "Alone", year: nil, platforms: [6, 6])
        let lists = DemoLists(seed: 3, games: [game])
        for index in 0..<100 {
            #expect(lists.user(index).entries.count <= 1)
        }
    }
}
