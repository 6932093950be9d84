import FaveGames
import Languages

extension GameKind {
    /// The label beside the title; `nil` if the kind needs none.
    var label: Words? {
        switch self {
        case .main: nil
        case .edition: .edition
        case .dlc: .dlc
        case .expansion: .expansion
        case .bundle: .bundle
        case .mod: .mod
        case .episode: .episode
        case .season: .season
        case .remake: .remake
        case .remaster: .remaster
        case .port: .port
        case .pack: .pack
        case .update: .update
        case .other: .otherKind
        }
    }
}
