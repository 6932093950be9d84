import Endpoints
import FaveGames
import Foundation
import JSON

/// A parameter of a route's path.
struct PathInput<Value: Sendable>: Input {
    /// The parameter's name in the pattern.
    let name: String
    /// What the error says there is none of, if the parameter can't be read.
    let noun: String
    let text: String
    let schema: Schema
    let parse: @Sendable (String) -> Value?

    init(
        _ name: String, noun: String? = nil, _ text: String, _ schema: Schema,
        _ parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.noun = noun ?? name
        self.text = text
        self.schema = schema
        self.parse = parse
    }

    /// - Throws: 404 if the parameter can't be read, since there is nothing at such an address.
    func read(_ call: Call) throws(Problem) -> Value {
        guard let value = call.parameters[name].flatMap(parse) else {
            throw .notFound("There is no such \(noun).")
        }
        return value
    }

    var description: InputDescription {
        InputDescription(
            parameters: [
                .init(
                    name: name, place: .path, description: text, schema: schema, isRequired: true)
            ], problems: [.notFound])
    }
}

extension Input where Self == PathInput<PlatformReference> {
    static var platformReference: Self {
        Self(
            "platform", "The platform's id (IGDB's number) or its slug.",
            .text(0...64, pattern: "^[a-z0-9-]{1,64}$", example: "win")
        ) { PlatformReference($0) }
    }
}

extension Input where Self == PathInput<Int> {
    static var gameID: Self {
        Self("game", "The game's id, IGDB's number.", .igdbGame) { GameID.parse($0) }
    }
}

extension Input where Self == PathInput<Username> {
    static var username: Self {
        Self(
            "username", noun: "user",
            "The username; capitals don't matter. A former one redirects with a 307.",
            .newUsername
        ) { Username($0) }
    }
}

extension Input where Self == PathInput<KeptListSlug> {
    static var keptSlug: Self {
        Self(
            "kept", noun: "kept list",
            "The end of the kept list's address: its year, with a number for all but the first.",
            V1.keptSlug
        ) { KeptListSlug($0) }
    }
}

extension Input where Self == PathInput<Int> {
    static var caseID: Self {
        Self("case", noun: "case", "The case's number.", .integer(1..., example: 7)) {
            parseNumber($0)
        }
    }

    static var actID: Self {
        Self("act", noun: "act", "The act's number.", .integer(1..., example: 12)) {
            parseNumber($0)
        }
    }

    @Sendable private static func parseNumber(_ text: String) -> Int? {
        guard text.utf8.count <= 18, let number = Int(text), number > 0, String(number) == text
        else { return nil }
        return number
    }
}

extension Input where Self == PathInput<UUID> {
    static var session: Self {
        Self(
            "session", noun: "session", "The session's id.",
            .text(format: "uuid", example: Example.user)
        ) { UUID(uuidString: $0) }
    }

    static var token: Self {
        Self(
            "token", noun: "token", "The token's id.",
            .text(format: "uuid", example: Example.user)
        ) { UUID(uuidString: $0) }
    }

    static var passkey: Self {
        Self(
            "passkey", noun: "passkey", "The passkey's id.",
            .text(format: "uuid", example: Example.user)
        ) { UUID(uuidString: $0) }
    }

    static var invitation: Self {
        Self(
            "invitation", noun: "invitation", "The invitation's id.",
            .text(format: "uuid", example: Example.user)
        ) { UUID(uuidString: $0) }
    }

    static var circle: Self {
        Self(
            "circle", noun: "circle", "The circle's id.",
            .text(format: "uuid", example: Example.circle)
        ) { UUID(uuidString: $0) }
    }

    static var circleMember: Self {
        Self(
            "member", noun: "member", "The membership's id.",
            .text(format: "uuid", example: Example.member)
        ) { UUID(uuidString: $0) }
    }

    static var entryID: Self { entryID("entry") }

    /// - Parameter name: The parameter's name in the pattern.
    static func entryID(_ name: String) -> Self {
        Self(name, noun: "entry", "The entry's id.", .text(format: "uuid", example: Example.entry))
        {
            UUID(uuidString: $0)
        }
    }
}

// MARK: - What the path refers to

/// The platform in the path.
struct PlatformInput: Input {
    private let reference: PathInput<PlatformReference> = .platformReference

    /// - Throws: 404 if there is no such platform.
    func read(_ call: Call) async throws -> Platform {
        try await call.platform(reference.read(call))
    }

    var description: InputDescription { reference.description }
}

/// The game in the path. A game that we do not know is looked up at IGDB.
struct GameInput: Input {
    private let id: PathInput<Int> = .gameID

    /// - Throws: 404 if there is no such game.
    func read(_ call: Call) async throws -> FoundGame {
        guard let game = try await call.games.game(id.read(call)) else {
            throw Problem.notFound("There is no such game here.")
        }
        return game
    }

    var description: InputDescription { id.description }
}

extension Input where Self == PlatformInput {
    static var platform: Self { Self() }
}

extension Input where Self == GameInput {
    static var game: Self { Self() }
}

extension Call {
    /// - Throws: 404 if there is no such platform.
    func platform(_ reference: PlatformReference) async throws -> Platform {
        guard let platform = try await services.store.platform(reference) else {
            throw Problem.notFound("There is no such platform.")
        }
        return platform
    }
}
