import Endpoints
import FaveGames
import Languages

extension V1 {
    static let platform = ObjectRepresentation<Platform>(
        "Platform", "A system that games run on.",
        [
            .init("id", .integer(.igdbPlatform), "The platform's id.") { $0.id },
            .init(
                "slug", .text(0...64, pattern: "^[a-z0-9-]{1,64}$", example: "win"),
                "The platform's name in addresses; its id works there, too."
            ) { $0.slug },
            .init("name", .text(1..., example: "PC (Microsoft Windows)"), "The platform's name.") {
                $0.name
            },
            .init(
                "shortName", .text(1..., example: "PC"),
                "What people call the platform, for places with little room."
            ) { $0.shortName },
        ])

    static let game = ObjectRepresentation<Game>(
        "Game", "A game.",
        [
            .init("id", .integer(.igdbGame), "The game's id.") { $0.id },
            .init("name", .text(1..., example: "Portal"), "The game's name.") { $0.name.main },
            .init(
                "releaseYear", .nullable(.integer(1900...2200, example: 2007)),
                "The year of the first release; null if unknown."
            ) { $0.releaseYear },
            .ofSite(
                "coverUrl", .nullable(.text(format: "uri", example: Example.cover)),
                "The cover, for an <img>; null if there is none."
            ) { CoverImage($0, in: $1.pictures)?.large },
            page("/games/71") { "/games/\($0.id)" },
        ])

    private static let localizedName = ObjectRepresentation<GameTitle.Translation>(
        "LocalizedName", "What a game is called in a language.",
        [
            .init("language", .text(1..., example: "ja"), "The language, a tag of BCP 47.") {
                $0.language
            },
            .init("name", .text(1..., example: "ポータル"), "The name.") { $0.name },
        ])

    static let foundGame = ObjectRepresentation<FoundGame>(
        "FoundGame", "A game with its kind and its platforms.", extending: game, { $0.game },
        [
            .init(
                "kind", EnumerationRepresentation<GameKind>(), "How it relates to other games."
            ) { $0.kind },
            .init(
                "foundName", .nullable(.text(example: "ポータル")),
                "The further name, such as one in another language, that the search found it by; null "
                    + "if that is its main name."
            ) { $0.foundName },
            .init(
                "localizedNames", .array(of: localizedName, atMost: 50),
                "What it is called in other languages, with one name for each."
            ) { $0.game.name.translations },
            .init(
                "platforms", .array(of: platform),
                "The platforms that it is on, those with the most games first."
            ) {
                $0.platforms
            },
        ])

    static let standing = ObjectRepresentation<GameStanding>(
        "Standing", "A game's rank on one of its platforms.",
        [
            .init("platform", platform) { $0.platform },
            .init(
                "includedBy", .integer(0..., example: 25),
                "The number of lists that include the game for this platform."
            ) { $0.includedBy },
            .init(
                "rank", .nullable(.integer(1...Ranking.countedRanks, example: 1)),
                "Null while no list includes it, and after rank \(Ranking.countedRanks.grouped.string(in: .en))."
            ) { $0.rank },
            .init("isTied", .boolean(example: false), "Whether another game has the same rank.") {
                $0.isTied
            },
        ])

    static let relatedGame = ObjectRepresentation<RelatedGame>(
        "RelatedGame", "A game that is on the same lists as another one.",
        [
            .init("game", game) { $0.game },
            .init(
                "sharedLists", .integer(RelatedGame.leastSharedLists..., example: 12),
                "How many of the latest \(RelatedGame.listsLookedAt) public lists with the one game include the other, too."
            ) { $0.sharedLists },
        ])
}
