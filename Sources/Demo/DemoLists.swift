/// Believable lists of people who do not exist: popularity is skewed, people have tastes, and most
/// of them give reasons.
///
/// User number `i` depends only on the seed, the games and `i`, so users can be made in any order
/// and in any number.
package struct DemoLists: Sendable {
    package typealias Game = DemoCatalogue.Game

    let seed: UInt64
    private let people: DemoPeople
    private let comments = DemoComments()
    private let games: [Game]

    /// The platforms that have games, in the order of their ids.
    private let shelves: [Shelf]
    private let shelfByPlatform: [Int: Int]
    /// Tables for picking a shelf: one for people in general, one for lovers of old games.
    private let modern: AliasTable
    private let retro: AliasTable

    /// One platform and its games, as indices into `games`.
    private struct Shelf: Sendable {
        let platform: Int
        let games: [Int]
        let popularity: AliasTable
        let isRetro: Bool
    }

    /// - Parameter games: Must have at least one game on at least one platform.
    package init(seed: UInt64, games: [Game]) {
        self.seed = seed
        self.games = games
        people = DemoPeople(seed: seed)

        var onPlatform: [Int: [Int]] = [:]
        for index in Self.byPopularity(games, seed: seed) {
            for platform in Set(games[index].platforms) {
                onPlatform[platform, default: []].append(index)
            }
        }
        let shelves = onPlatform.sorted { $0.key < $1.key }.map { platform, indices in
            Shelf(
                platform: platform, games: indices,
                popularity: AliasTable(weights: indices.indices.map { 1 / (Double($0) + 3) }),
                isRetro: Self.medianYear(indices.compactMap { games[$0].year }) < 2006)
        }
        precondition(!shelves.isEmpty, "demo lists need games")
        self.shelves = shelves
        shelfByPlatform = Dictionary(
            uniqueKeysWithValues: shelves.indices.map { (shelves[$0].platform, $0) })

        modern = AliasTable(
            weights: shelves.map { shelf in
                DemoCatalogue.favoured[shelf.platform, default: 0.05]
                    + 0.012 * Double(shelf.games.count)
            })
        retro = AliasTable(
            weights: shelves.map { shelf in
                Double(shelf.games.count).squareRoot() * (shelf.isRetro ? 1 : 0.01)
            })
    }

    /// The user with this number, from 0.
    package func user(_ index: Int) -> DemoUser {
        var random = SeededGenerator(seed: seed, stream: UInt64(index))
        let person = people.person(index, using: &random)
        var entries: [DemoEntry] = []
        entries.reserveCapacity(5)
        for pick in picks(index, using: &random) {
            let comment = comments.comment(or: person.comments, using: &random)
            let repeatsItself = entries.contains { $0.comment == comment }
            entries.append(
                DemoEntry(
                    gameID: games[pick.game].id, platformID: shelves[pick.shelf].platform,
                    comment: repeatsItself ? "" : comment))
        }
        // Ratings and tags have a random stream of their own, so adding them has not changed the
        // rest of a list.
        var opinions = SeededGenerator(seed: seed ^ 0x7461_6773, stream: UInt64(index))
        for place in entries.indices { Self.addOpinion(to: &entries[place], using: &opinions) }
        // The same is true of the snapshots that some people have taken.
        var past = SeededGenerator(seed: seed ^ 0x7965_6172, stream: UInt64(index))
        let snapshots = snapshots(before: entries, of: index, person.comments, using: &past)
        // More lists are recent, because the service grows.
        let age = random.unit() * (0.4 + 0.6 * random.unit())
        return DemoUser(
            username: person.username, displayName: person.displayName, entries: entries,
            ageInSeconds: Int(age * 400 * 86_400), snapshots: snapshots)
    }

    /// The list at the end of the last year or two: about a quarter of the people with three games
    /// or more have taken a snapshot.
    private func snapshots(
        before entries: [DemoEntry], of index: Int, _ own: [String],
        using random: inout SeededGenerator
    ) -> [DemoSnapshot] {
        guard entries.count >= 3, random.chance(0.25) else { return [] }
        var snapshots: [DemoSnapshot] = []
        var entries = entries
        for yearsAgo in 1...(random.chance(0.6) ? 2 : 1) {
            // An earlier favourite replaces a more recent one.
            let earlier = picks(index, using: &random).first { pick in
                !entries.contains { $0.gameID == games[pick.game].id }
            }
            guard let earlier else { break }
            entries[random.below(entries.count)] = DemoEntry(
                gameID: games[earlier.game].id, platformID: shelves[earlier.shelf].platform,
                comment: comments.comment(or: own, using: &random))
            if random.chance(0.7) { entries.swapAt(0, 1 + random.below(entries.count - 1)) }
            snapshots.insert(DemoSnapshot(yearsAgo: yearsAgo, entries: entries), at: 0)
        }
        return snapshots
    }

    /// Adds a rating and tags to some entries. Ratings are high, because a list has room for only
    /// five games.
    private static func addOpinion(
        to entry: inout DemoEntry, using random: inout SeededGenerator
    ) {
        if random.chance(0.6) {
            entry.rating = random.chance(0.65) ? 5 : random.chance(0.8) ? 4 : 3
        }
        guard random.chance(0.45) else { return }
        let tags = DemoWords.all.tags
        for _ in 0...Int(random.unit() * 2.5) {
            let tag = tags[Int(random.unit() * Double(tags.count))]
            if !entry.tags.contains(tag) { entry.tags.append(tag) }
        }
    }

    private struct Pick {
        let game: Int
        let shelf: Int
    }

    /// One person's picks, best first.
    private func picks(_ index: Int, using random: inout SeededGenerator) -> [Pick] {
        let likesRetro = random.chance(0.15)
        let home = likesRetro ? retro.pick(using: &random) : modern.pick(using: &random)
        var length = Self.length(random.unit())
        var picks: [Pick] = []
        picks.reserveCapacity(5)

        // Among the first users, every platform has someone who lists a game on it, however rare it
        // is.
        let guest = index % 5 == 3 && index / 5 < shelves.count ? index / 5 : nil
        if let guest {
            length = max(length, 1)
            picks.append(Pick(game: game(on: guest, using: &random), shelf: guest))
        }

        var attempts = 4 * length
        while picks.count < length, attempts > 0 {
            attempts -= 1
            let shelf = shelf(near: home, likesRetro: likesRetro, using: &random)
            let game = game(on: shelf, using: &random)
            if !picks.contains(where: { $0.game == game }) {
                picks.append(Pick(game: game, shelf: shelf))
            }
        }
        if guest != nil {
            picks.append(picks.removeFirst())
        }
        return picks
    }

    private func game(on shelf: Int, using random: inout SeededGenerator) -> Int {
        shelves[shelf].games[shelves[shelf].popularity.pick(using: &random)]
    }

    /// The shelf for one pick: mostly the person's home platform, sometimes a platform that shares
    /// games with it, sometimes any.
    private func shelf(
        near home: Int, likesRetro: Bool, using random: inout SeededGenerator
    ) -> Int {
        let whim = random.unit()
        if whim < 0.55 {
            return home
        }
        if whim < 0.75 {
            let platforms = games[game(on: home, using: &random)].platforms
            return shelfByPlatform[random.pick(platforms)] ?? home
        }
        return likesRetro && whim < 0.9 ? retro.pick(using: &random) : modern.pick(using: &random)
    }

    /// The length of a list. Most people fill their list; one in forty has not begun.
    private static func length(_ whim: Double) -> Int {
        switch whim {
        case ..<0.62: 5
        case ..<0.79: 4
        case ..<0.89: 3
        case ..<0.94: 2
        case ..<0.975: 1
        default: 0
        }
    }

    /// The games' indices, the most popular first: the well-known ones lead, and the seed shuffles
    /// neighbours.
    private static func byPopularity(_ games: [Game], seed: UInt64) -> [Int] {
        var places: [Int: Int] = [:]
        for (place, id) in DemoCatalogue.wellKnown.enumerated() {
            places[id] = place
        }
        let keys = games.map { game in
            var random = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(game.id)))
            if let place = places[game.id] {
                return Double(place) + 10 * random.unit()
            }
            return 40 + 760 * random.unit() - 4 * Double(min(game.platforms.count, 8))
        }
        return games.indices.sorted { (keys[$0], games[$0].id) < (keys[$1], games[$1].id) }
    }

    private static func medianYear(_ years: [Int]) -> Int {
        years.isEmpty ? 1990 : years.sorted()[years.count / 2]
    }
}
