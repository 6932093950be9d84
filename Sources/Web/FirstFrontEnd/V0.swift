import Endpoints
import FaveGames
import Foundation
import JSON

/// How the domain's values are written in JSON for the first front end.
enum V0 {
    struct Game: Sendable {
        let found: FoundGame
        let screenshots: [V0Screenshot]
    }

    static let game = ObjectRepresentation<Game>(
        "V0Game", "A game, in /api/v0.",
        [
            .init("id", .integer(.igdbGame), "The game's id.") { $0.found.game.id },
            .init("name", .text(example: "Portal"), "The game's name.") { $0.found.game.name.main },
            .init(
                "platforms", .array(of: .integer(.igdbPlatform), "A platform's id."),
                "The platforms that it is on."
            ) { $0.found.platforms.map(\.id) },
            .init(
                "screenshots", ScreenshotsRepresentation(), "At least one, possibly a placeholder."
            ) { game in game.screenshots.map { Screenshot(gameID: game.found.game.id, image: $0) }
            },
        ])

    private struct Screenshot: Sendable {
        let gameID: Int
        let image: V0Screenshot
    }

    private struct ScreenshotsRepresentation: Representation {
        private let array = ArrayRepresentation(of: screenshot)

        var schema: Schema {
            var schema = array.schema
            schema.keywords["minItems"] = 1
            return schema
        }

        func write(
            _ value: [Screenshot], to json: inout JSONWriter, for site: SiteAddresses
        ) {
            array.write(value, to: &json, for: site)
        }
    }

    private static let screenshot = ObjectRepresentation<Screenshot>(
        nil, "A picture from the game.",
        [
            .init("id", .integer(0..., example: 0), "The image's id; 0 for a placeholder.") {
                $0.image.id
            },
            .init(
                "url",
                .text(
                    format: "uri",
                    example: "\(Example.site)/assets/no-screenshot.svg?v=88536326f16e"),
                "The image's address."
            ) { $0.image.url },
            .init("game", .integer(.igdbGame), "The game's id.") { $0.gameID },
        ])

    static let platform = ObjectRepresentation<Platform>(
        "V0Platform", "A platform, in /api/v0.",
        [
            .init("id", .integer(.igdbPlatform), "The platform's id.") { $0.id },
            .init("name", .text(example: "PC (Microsoft Windows)"), "The platform's name.") {
                $0.name
            },
            .init(
                "platform_logo", NullRepresentation(), "Always null: the server has no logos."
            ) { _ in () },
        ])

    private struct NullRepresentation: Representation {
        let schema = Schema(["type": ["string", "null"], "format": "uri"], example: .null)

        func write(_ value: Void, to json: inout JSONWriter, for site: SiteAddresses) {
            json.null()
        }
    }

    private static let digest = Schema.text(pattern: "^[0-9a-f]{64}$", example: Example.digest)
    private static let number = Schema.text(pattern: "^[1-9][0-9]{0,9}$", example: "71")

    static let user = ObjectRepresentation<User>(
        "V0User", "A user, in /api/v0.",
        [
            .init("userId", .text(digest), "64 hexadecimal digits that identify the user.") {
                UserDigest(of: $0.id).text
            },
            .init(
                "username", .text(.username), "The name in links, in lower case. It can change."
            ) { $0.username },
        ])

    struct Entry: Sendable {
        let entry: FaveGames.Entry
        let owner: UserDigest
    }

    static let entry = ObjectRepresentation<Entry>(
        "V0Entry", "An entry of a list, in /api/v0.",
        [
            .init("id", .uuid(example: Example.entry), "The entry's id.") { $0.entry.id },
            .init("userId", .text(digest), "The owner's id.") { $0.owner.text },
            .init("gameId", .text(number), "The game's id, as a text.") {
                String($0.entry.game.id)
            },
            .init("platformId", .text(number.example("6")), "The platform's id, as a text.") {
                String($0.entry.platform.id)
            },
            .init(
                "reasons", .text(.comment),
                "Why, at most \(Comment.limit) characters; may be empty."
            ) { $0.entry.comment },
        ])

    static let rankedGame = ObjectRepresentation<RankedGame>(
        "V0RankedGame", "A game in a ranking, in /api/v0.",
        [
            .init("gameId", .integer(.igdbGame), "The game's id.") { $0.game.id },
            .init(
                "count", .integer(1..., example: 12),
                "The number of lists that include it for the platform."
            ) { $0.includedBy },
            .init(
                "reasons",
                .array(
                    of: .text(1...Comment.limit, example: Example.comment),
                    "Why a user loves it.", atMost: Ranking.quoteLimits.upperBound),
                "Some of the latest."
            ) { $0.quotes.map(\.comment) },
        ])

    static let error = ObjectRepresentation<V0Error>(
        "V0Error", "An error, in /api/v0.",
        [
            .init(
                "code", .text(pattern: "^[a-z_]+$", example: "not_found"),
                "The status in words with underscores; `too_many_games` for a full list."
            ) { $0.code },
            .init("message", .text(1..., example: "There is no such user."), "What happened.") {
                $0.message
            },
        ])
}

extension FaveList {
    /// The entries as the first front end reads them.
    var v0Entries: [V0.Entry] {
        let owner = UserDigest(of: owner.id)
        return entries.map { V0.Entry(entry: $0, owner: owner) }
    }

    /// - Throws: `noSuchEntry`.
    func v0Entry(_ id: UUID) throws(ListError) -> V0.Entry {
        V0.Entry(entry: try entry(id), owner: UserDigest(of: owner.id))
    }
}

extension ResponseKind {
    /// An array that is the whole body of the response.
    static func array<Type: Representation>(
        of type: Type, _ description: String, atMost limit: Int? = nil, _ text: String,
        isIndexed: (@Sendable (Output) -> Bool)? = nil
    ) -> Self where Output == [Type.Value] {
        .json(
            DescribedArray(array: ArrayRepresentation(of: type, atMost: limit), description), text,
            isIndexed: isIndexed)
    }
}

/// An array whose schema has a description of its own.
private struct DescribedArray<Element: Representation>: Representation {
    private let array: ArrayRepresentation<Element>
    let schema: Schema

    init(array: ArrayRepresentation<Element>, _ description: String) {
        self.array = array
        var schema = array.schema
        schema.keywords["description"] = .string(description)
        self.schema = schema
    }

    func write(_ value: [Element.Value], to json: inout JSONWriter, for site: SiteAddresses) {
        array.write(value, to: &json, for: site)
    }
}
