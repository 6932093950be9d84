import Endpoints
import FaveGames

extension FaultKind {
    /// All kinds of errors in bodies.
    static let all: [FaultKind] =
        ofEveryBody + [
            .unknownGame, .unknownPlatform, .notOnPlatform, .unknownEntry, .unknownCircle,
            .unknownUser, .notAMember,
        ]

    private static let unknownGame = FaultKind("unknown-game", "There is no such game here.")
    private static let unknownPlatform = FaultKind(
        "unknown-platform", "There is no such platform here.")
    private static let notOnPlatform = FaultKind(
        "not-on-platform", "The game isn't on that platform.")
    static let unknownEntry = FaultKind(
        "unknown-entry", "There is no such entry that the user sees.")
    static let unknownCircle = FaultKind(
        "unknown-circle", "There is no such circle that the user sees.")
    static let unknownUser = FaultKind("unknown-user", "There is no such user that the user sees.")
    static let notAMember = FaultKind("not-a-member", "No such member of the circle can be chosen.")

    init(_ reason: WrongPick.Reason) {
        self =
            switch reason {
            case .unknownGame: .unknownGame
            case .unknownPlatform: .unknownPlatform
            case .notOnPlatform: .notOnPlatform
            }
    }
}
