import Endpoints
import FaveGames
import Languages

extension V1 {
    static let quote = ObjectRepresentation<Quote>(
        "Quote", "A user's comment on a game.",
        idMember() + nameMembers() + [
            .init(
                "comment", .text(1...Comment.limit, example: Example.comment),
                "Why the user loves it, at most \(Comment.limit.grouped.string(in: .en)) characters."
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

    enum MovementKind: String, CaseIterable, Sendable {
        case up, down, same, new
    }

    static let movement = ObjectRepresentation<Movement>(
        "Movement", "How a game has moved in its ranking since last week.",
        [
            .init(
                "kind", EnumerationRepresentation<MovementKind>(),
                "new: it was not among the first \(Movement.storedRanks)."
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
                "Since last week; null if that is not known, as of all games after rank \(Movement.storedRanks)."
            ) { $0.movement }
        ])
}
