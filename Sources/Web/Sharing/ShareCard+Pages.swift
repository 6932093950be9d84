import Endpoints
import FaveGames
import Languages
import ShareCard
import Storage
import Views

// The cards of pages. Each carries the address of its page, or the site's if that is a secret.
extension WebSettings {
    func card(of list: FaveList, _ variant: ShareCard.Variant = .wide) -> ShareCard {
        ShareCard(
            list, of: site, at: spoken(Path.list(list.owner.username)),
            in: language(of: list.owner), variant)
    }

    func card(of snapshot: Snapshot, _ variant: ShareCard.Variant = .wide) -> ShareCard {
        let path = Path.snapshot(snapshot.owner.username, snapshot.summary.slug)
        return ShareCard(
            snapshot, of: site, at: spoken(path), in: language(of: snapshot.owner), variant)
    }

    func card(
        of games: [RankedGame], on platform: Platform, _ variant: ShareCard.Variant = .wide
    ) -> ShareCard {
        ShareCard(
            games, on: platform, of: site, at: spoken(Path.platform(platform)),
            in: languages.site, variant)
    }

    /// - Parameter featured: The top games of the platforms on the home page.
    func card(ofSiteWith featured: [PlatformTop]) -> ShareCard {
        // All first games come first.
        let games = (0..<FaveList.limit).flatMap { place in
            featured.compactMap { $0.games.dropFirst(place).first?.game }
        }
        return ShareCard(site, loving: games.firstFive, at: spoken(""), in: languages.site)
    }

    /// What anyone with the invitation may know.
    func card(of offer: CircleOffer) -> ShareCard {
        ShareCard(offer, of: site, at: spoken(""), in: languages.site)
    }

    /// The language of feeds, pictures and embedded lists of someone: their own, if the site offers it.
    func language(of owner: User) -> Language {
        languages.language(ofAccount: owner.language)
    }
}

extension RequestContext {
    /// The card of a public circle, with the games that most of its members love.
    func card(ofPublic view: CircleView) async throws -> ShareCard {
        let store = services.store
        async let rankings = store.rankings(of: view, platforms: 1...5, games: 1...1)
        let common = try await store.commonGames(of: view, limit: FaveList.limit)
        let games = try await common.map(\.game) + rankings.compactMap { $0.games.first?.game }
        return ShareCard(
            view.circle, loving: games.firstFive, of: services.settings.site,
            at: services.settings.spoken(Path.circle(view.circle.slug)),
            in: services.settings.languages.site)
    }
}

extension [Game] {
    /// The first five games, each once.
    fileprivate var firstFive: [Game] {
        var ids: Set<Int> = []
        return Array(filter { ids.insert($0.id).inserted }.prefix(FaveList.limit))
    }
}

extension FaveList {
    /// What the list's card shows.
    var words: Words {
        guard !entries.isEmpty else { return .stillChoosing(owner.displayName) }
        return .list(
            Words.enumeration(entries.map { ($0.position, $0.game, $0.platform) }),
            under: owner.listTitle)
    }
}

extension Snapshot {
    /// What the list's card shows.
    var words: Words {
        .list(
            Words.enumeration(entries.map { ($0.position, $0.game, $0.platform) }),
            under: fullTitle)
    }
}

extension Words {
    /// Games with their numbers and platforms.
    fileprivate static func enumeration(_ games: [(Int, Game, Platform)]) -> Words {
        Words { text in
            for (index, (number, game, platform)) in games.enumerated() {
                if index > 0 { text.text("; ") }
                text.text(game.name.numbered(number))
                text.text(text.language.separator(isLast: false))
                text.text(platform.shortName)
            }
        }
    }
}
