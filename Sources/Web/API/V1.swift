import Endpoints
import FaveGames
import Foundation
import HTTP
import Identity
import JSON
import Storage
import Views

/// How the domain's values are written in JSON by version 1 of the API.
enum V1 {
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
                "abbreviation", .nullable(.text(example: "PC")),
                "The platform's short name; null if it has none."
            ) { $0.abbreviation },
        ])

    static let game = ObjectRepresentation<Game>(
        "Game", "A game.",
        [
            .init("id", .integer(.igdbGame), "The game's id.") { $0.id },
            .init("name", .text(1..., example: "Portal"), "The game's name.") { $0.name },
            .init(
                "releaseYear", .nullable(.integer(1900...2200, example: 2007)),
                "The year of the first release; null if unknown."
            ) { $0.releaseYear },
            .init(
                "coverUrl", .nullable(.text(format: "uri", example: Example.cover)),
                "The cover, for an <img>; null if there is none."
            ) { $0.coverImageID.map { CoverImage($0).large } },
        ])

    static let foundGame = ObjectRepresentation<FoundGame>(
        "FoundGame", "A game with its kind and its platforms.", extending: game, { $0.game },
        [
            .init(
                "kind", EnumerationRepresentation<GameKind>(), "How it relates to other games."
            ) { $0.kind },
            .init(
                "platforms", .array(of: platform),
                "The platforms that it is on, those with the most games first."
            ) {
                $0.platforms
            },
        ])

    static let visibility = EnumerationRepresentation<Visibility>(
        "Visibility",
        """
        Who can see the user's list. public: everyone. unlisted: anyone with the link; it is \
        counted in rankings, but not shown publicly under the user's name. private: only the user; \
        it isn't counted in rankings.
        """)

    /// A user's names.
    struct Person: NamedUser, Sendable {
        let username: String
        let displayName: String

        init(_ user: some NamedUser) {
            username = user.username
            displayName = user.displayName
        }
    }

    static let person = ObjectRepresentation<Person>("Person", "A user's names.", nameMembers())

    static let followedPerson = ObjectRepresentation<FollowedPerson>(
        "FollowedPerson", "Someone who is followed, or who follows the user.",
        nameMembers() + [
            .init("followedAt", .date, "Since when one follows the other.") { $0.followedAt }
        ])

    static let similarList = ObjectRepresentation<SimilarList>(
        "SimilarList", "A list that shares games with another one.",
        [
            .init("user", person) { Person($0.list.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.list.owner.listUpdatedAt },
        ] + tasteMembers { $0.taste })

    static let sharedTaste = ObjectRepresentation<SharedTaste>(
        "SharedTaste", "What a list has in common with another one.", tasteMembers { $0 })

    private static func tasteMembers<Value: Sendable>(
        _ taste: @escaping @Sendable (Value) -> SharedTaste
    ) -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "shared", .array(of: game, atMost: FaveList.limit),
                "The games that both lists have, whatever the platform."
            ) { taste($0).shared },
            .init(
                "others", .array(of: game, atMost: FaveList.limit),
                "The other games of this list."
            ) { taste($0).others },
        ]
    }

    private static func nameMembers<Value: NamedUser>() -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "username", .text(.username),
                "The name in links, in lower case. It can change."
            ) { $0.username },
            .init(
                "displayName", .text(.displayName),
                "The name that is shown: any script, on one line, 1 to \(DisplayName.limit) characters."
            ) { $0.displayName },
        ]
    }

    static let user = ObjectRepresentation<User>(
        "User", "A user.",
        [
            .init(
                "id", .uuid(example: Example.user), "The user's id. It never changes."
            ) { $0.id }
        ] + nameMembers() + [
            .init(
                "bio", .text(.bio),
                "What the user says about themselves, on one line; may be empty. At most \(Bio.limit) characters."
            ) { $0.bio },
            .init("createdAt", .date, "When the user signed up.") { $0.createdAt },
            .init(
                "listUpdatedAt", .nullable(.date),
                "When the user's list last changed; null if it never has."
            ) { $0.listUpdatedAt },
        ])

    static let ownUser = ObjectRepresentation<User>(
        "OwnUser", "The current user, with the members only they can see.", extending: user, { $0 },
        [
            .init("visibility", visibility) { $0.visibility },
            .init(
                "showsRatings", .boolean(example: false),
                "Whether others see the user's ratings. The user always does."
            ) { $0.showsRatings },
            .init(
                "keepsYears", .boolean(example: false),
                "Whether the list is kept as it is on every December 31st (UTC)."
            ) { $0.keepsYears },
        ])

    static let session = ObjectRepresentation<SessionRecord>(
        "Session", "Somewhere that the user is signed in.",
        [
            .init("id", .uuid(example: Example.user), "The session's id.") { $0.id },
            .init(
                "kind", EnumerationRepresentation<SessionKind>(),
                "In a browser, or through the API."
            ) { $0.kind },
            .init(
                "device", .nullable(.text(1...80, example: "Firefox on Linux")),
                "What it was opened on; null if it did not say."
            ) { $0.origin.device },
            .init(
                "network", .nullable(.text(example: "203.0.113.0/24")),
                "The network that it was opened from; null if not known."
            ) { $0.origin.network },
            .init("createdAt", .date, "When it began.") { $0.createdAt },
            .init("seenAt", .date, "When it was last used, to about five minutes.") { $0.seenAt },
        ])

    // MARK: Personal tokens

    static let tokenName = Schema.text(1...TokenName.limit, example: "My spreadsheet")

    static let scopesText =
        "What it may do. read: read what only the user may see. list:write: change the list, and keep it "
        + "as it is. account: change the profile, circles and sessions, follow people, give hearts, export "
        + "everything, delete the account."

    /// Each scope once, in the order of their declaration.
    struct ScopesRepresentation: Representation {
        let schema = Schema.array(
            of: EnumerationRepresentation<TokenScope>().schema, atMost: TokenScope.allCases.count)

        func write(_ value: Set<TokenScope>, to json: inout JSONWriter) {
            json.array(TokenScope.allCases.filter(value.contains)) { $0.string($1.rawValue) }
        }
    }

    static let scopes = ScopesRepresentation()

    static let personalToken = ObjectRepresentation<PersonalTokenRecord>(
        "PersonalToken", "A token that the user made for a program.",
        [
            .init("id", .uuid(example: Example.user), "The token's id.") { $0.id },
            .init("name", .text(tokenName), "What it is for.") { $0.name },
            .init("scopes", scopes, scopesText) { $0.scopes },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            .init(
                "expiresAt", .nullable(.date),
                "When it expires; null if it is valid until it is revoked."
            ) { $0.expiresAt },
            .init(
                "usedAt", .nullable(.date),
                "When it was last used, to about five minutes; null if it never was."
            ) { $0.usedAt },
        ])

    struct NewPersonalToken: Sendable {
        let record: PersonalTokenRecord
        let token: PersonalToken
    }

    static let newPersonalToken = ObjectRepresentation<NewPersonalToken>(
        "NewPersonalToken", "A personal token with its secret.", extending: personalToken,
        { $0.record },
        [
            .init(
                "token",
                .text(
                    pattern: "^fave_pat_[A-Za-z0-9_-]{43}$",
                    example: "fave_pat_6A2erJy9yZhKgYIejGNBnm73CBGJ8MJvp6TBRyNfTmk"),
                "The token itself. It isn't shown again."
            ) { $0.token.text }
        ])

    // MARK: Entries

    static let entry = ObjectRepresentation<Entry>(
        "Entry", "One of the games on a list. “rating” is omitted if there is none.",
        [
            .init(
                "id", .uuid(example: Example.entry),
                "The entry's id. It stays the same when the entry is moved or changed."
            ) { $0.id },
            .init("position", .integer(.position), "The entry's place on the list, from 1.") {
                $0.position
            },
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
        ] + opinionMembers())

    static let list = ObjectRepresentation<FaveList>(
        "List", "A user's favourite games.",
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.owner.listUpdatedAt },
            .init(
                "entries", .array(of: entry, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.entries },
        ])

    // MARK: Kept lists

    static let keptSlug = Schema.text(pattern: KeptListSlug.pattern, example: "2026")
    static let keptTitle = Schema.text(1...KeptListTitle.limit, example: "My five, 2026")

    static let keptListSummary = ObjectRepresentation<KeptListSummary>(
        "KeptListSummary", "What a list was kept as.",
        [
            .init(
                "slug", .text(keptSlug),
                "The end of its address: its year, with a number for all but the first."
            ) { $0.slug },
            .init("title", .text(keptTitle), "The title that the user gave it.") { $0.title },
            .init("keptAt", .date, "When it was kept.") { $0.keptAt },
        ])

    static let keptEntry = ObjectRepresentation<KeptEntry>(
        "KeptEntry", "One of the games on a kept list. “rating” is omitted if there is none.",
        [
            .init("position", .integer(.position), "The entry's place on the list, from 1.") {
                $0.position
            },
            .init(
                "previousPosition", .nullable(.integer(.position)),
                "The game's place on the list that was kept before; null if it wasn't there."
            ) { $0.previousPosition },
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
            .init(
                "comment", .text(.comment),
                """
                Why the user loved it: plain text with line feeds, at most \(Comment.limit.grouped) characters; empty \
                if there is none.
                """
            ) { $0.comment },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init("tags", TagsRepresentation()) { $0.tags },
        ])

    static let keptList = ObjectRepresentation<KeptList>(
        "KeptList", "A user's list as it was when they kept it. It doesn't change.",
        extending: keptListSummary, { $0.summary },
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "entries", .array(of: keptEntry, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.entries },
            .init(
                "previous", .nullable(keptListSummary),
                "The list that was kept before this one; null for the first."
            ) { $0.previous },
            .init(
                "gone", .array(of: keptEntry, atMost: FaveList.limit),
                "The entries of that list whose games aren't on this one."
            ) { $0.gone },
        ])

    static let inclusion = ObjectRepresentation<Inclusion>(
        "Inclusion",
        "A user's entry for a certain game. “rating” is omitted if there is none.",
        [
            .init("id", .uuid(example: Example.entry), "The entry's id.") { $0.id },
            .init("user", person) { Person($0) },
            .init("position", .integer(.position), "The entry's place on the user's list, from 1.")
            {
                $0.position
            },
        ] + opinionMembers() + [
            .init(
                "hearts", .integer(0..., example: 3),
                "How many people say “me too” to the comment."
            ) { $0.hearts }
        ])

    static let foundEntry = ObjectRepresentation<FoundEntry>(
        "FoundEntry", "An entry of a user's list, with its game.", extending: inclusion,
        { $0.inclusion },
        [
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.inclusion.platform },
        ])

    private static func opinionMembers<Value: Opinion>() -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "comment", .text(.comment),
                """
                Why the user loves it: plain text with line feeds, at most \(Comment.limit.grouped) characters; empty \
                if there is none.
                """
            ) { $0.comment },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init("tags", TagsRepresentation()) { $0.tags },
            .init("createdAt", .date, "When the entry was added.") { $0.createdAt },
            .init("updatedAt", .date, "When the entry's contents last changed.") {
                $0.updatedAt
            },
        ]
    }

    private struct TagsRepresentation: Representation {
        let schema = Schema.tags

        func write(_ value: [String], to json: inout JSONWriter) {
            json.array(value) { $0.string($1) }
        }
    }

    // MARK: Rankings

    static let quote = ObjectRepresentation<Quote>(
        "Quote", "A user's comment on a game.",
        nameMembers() + [
            .init(
                "comment", .text(1...Comment.limit, example: Example.comment),
                "Why the user loves it, at most \(Comment.limit.grouped) characters."
            ) { $0.comment }
        ])

    static let rankedGame = ObjectRepresentation<RankedGame>(
        "RankedGame", "A game in a platform's ranking.",
        [
            .init("rank", .integer(1..., example: 1), "Equal counts share a rank: 1, 1, 3.") {
                $0.rank
            },
            .init(
                "includedBy", .integer(1..., example: 25),
                "The number of lists that include the game for this platform."
            ) { $0.includedBy },
            .init("game", game) { $0.game },
            .init(
                "comments", .array(of: quote, atMost: Ranking.quoteLimits.upperBound),
                """
                Some comments, as many as requested: those that enough people agree with, and then \
                the latest.
                """
            ) { $0.quotes },
        ])

    /// A ranked game, and how it has moved.
    struct MovedGame: Sendable {
        let ranked: RankedGame
        let movement: Movement?
    }

    private enum MovementKind: String, CaseIterable, Sendable {
        case up, down, same, new
    }

    private static let movement = ObjectRepresentation<Movement>(
        "Movement", "How a game has moved in its ranking since last week.",
        [
            .init(
                "kind", EnumerationRepresentation<MovementKind>(),
                "new: it was not among the first \(Movement.remembered)."
            ) { movement -> MovementKind in
                switch movement {
                case .up: .up
                case .down: .down
                case .same: .same
                case .new: .new
                }
            },
            .init("places", .integer(0..., example: 2), "By how many places; 0 for same and new.") {
                switch $0 {
                case .up(let places), .down(let places): places
                case .same, .new: 0
                }
            },
        ])

    static let movedGame = ObjectRepresentation<MovedGame>(
        "MovedGame", "A game in a platform's ranking, and how it has moved there.",
        extending: rankedGame, { $0.ranked },
        [
            .init(
                "movement", NullableRepresentation(movement),
                "Since last week; null if that is not known, as of all games after rank \(Movement.remembered)."
            ) { $0.movement }
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
                "Null while no list includes it, and after rank \(Ranking.countedRanks.grouped)."
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

    static let listSummary = ObjectRepresentation<ListSummary>(
        "ListSummary", "A list in short.",
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.owner.listUpdatedAt },
            .init(
                "games", .array(of: game, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.games },
        ])

    // MARK: Lists from elsewhere

    static let gameImport = ObjectRepresentation<GameImport>(
        "Import", "A file with games from elsewhere, whose rows can be picked.",
        [
            .init(
                "state", EnumerationRepresentation<GameImport.State>(),
                "running: games are still being looked for. failed: something went wrong, send it again."
            ) { $0.state },
            .init("fileName", .text(0...100, example: "games.csv"), "The file's name, if known.") {
                $0.fileName
            },
            .init(
                "rowCount", .integer(1...ImportedRow.limit, example: 120), "The rows of the file."
            ) { $0.rowCount },
            .init(
                "doneCount", .integer(0...ImportedRow.limit, example: 120),
                "The rows whose game was looked for."
            ) { $0.doneCount },
            .init(
                "suggestedCount", .integer(0...ImportedRow.limit, example: 113),
                "Those of them that can be picked."
            ) { $0.suggestedCount },
            .init("madeAt", .date, "When the file was sent.") { $0.madeAt },
            .init("expiresAt", .date, "When it is deleted.") { $0.expiresAt },
        ])

    static let importRow = ObjectRepresentation<ImportRow>(
        "ImportRow",
        "A row of a file from elsewhere, and what was found for it. “rating” is omitted if there is none.",
        [
            .init(
                "place", .integer(1...ImportedRow.limit, example: 1),
                "In the tray: the best rated first, then in the file's order."
            ) { $0.place },
            .init("line", .integer(1..., example: 2), "The line on which it begins.") { $0.line },
            .init("name", .text(0...200, example: "Portal"), "The game's name in the file.") {
                $0.name
            },
            .init("platforms", .text(0...200, example: "PC"), "The platforms in the file.") {
                $0.platforms
            },
            .init("score", .text(0...20, example: "4.5"), "The rating in the file.") { $0.score },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init(
                "comment", .text(.comment), "The comment in the file, cut to what a list can have."
            ) { $0.comment },
            .init("tags", TagsRepresentation()) {
                ((try? Tags(commaSeparated: $0.tags)) ?? .none).texts
            },
            .init("shelf", .text(0...200, example: "Played"), "The shelf or status in the file.") {
                $0.shelf
            },
            .init("date", .text(0...20, example: "2011-04-19"), "The date in the file.") {
                $0.date
            },
            .init(
                "finding", EnumerationRepresentation<ImportFinding>(),
                """
                The first four can be picked. found; several_games: several have the name, and \
                “game” is the best known; unknown_platform and not_on_platform: another platform \
                must be chosen; duplicate: the file has it twice; no_game: none has the name; \
                no_name; malformed: there are more fields than columns.
                """
            ) { $0.finding },
            .init(
                "candidates", .integer(0..., example: 1), "How many games suit equally well."
            ) { $0.candidates },
            .init("game", NullableRepresentation(game), "The game that was found; or null.") {
                $0.game
            },
            .init(
                "platform", NullableRepresentation(platform),
                "The platform to suggest; null if it must be chosen."
            ) { $0.platform },
        ])

    // MARK: Accounts

    /// The members are named as in RFC 6749 section 5.1, but in camel case.
    static let tokens = ObjectRepresentation<SessionTokens>(
        "Tokens", "A session's tokens, named after RFC 6749 section 5.1.",
        [
            .init(
                "accessToken",
                .text(1..., example: "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhMjc0In0.c2ln"),
                "A JWT for the Authorization field."
            ) { $0.accessToken },
            .init("tokenType", .constant("Bearer"), "How the access token is sent.") { _ in
                "Bearer"
            },
            .init(
                "expiresIn", .integer(1..., example: 900),
                "How long the access token is valid, in seconds."
            ) { Int($0.expiresIn.components.seconds) },
            .init(
                "refreshToken",
                .text(1..., example: "Yb0yXy0nYF3b0kJq2Q8m7w.2m7wqk0nYF3b0kJYb0yXy0"),
                "Gets the next tokens; works once."
            ) { $0.refreshToken },
            .init("user", ownUser) { $0.user },
        ])
}

protocol NamedUser: Sendable {
    var username: String { get }
    var displayName: String { get }
}

extension User: NamedUser {}
extension FollowedPerson: NamedUser {}
extension Quote: NamedUser {}
extension Inclusion: NamedUser {}

/// What a user says about a game, and when.
private protocol Opinion: Sendable {
    var comment: String { get }
    var rating: Rating? { get }
    var tags: [String] { get }
    var createdAt: Date { get }
    var updatedAt: Date { get }
}

extension Entry: Opinion {}
extension Inclusion: Opinion {}
