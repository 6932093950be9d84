/// How a game relates to other games, by IGDB's `game_type` and by whether it is an edition of
/// another game.
public enum GameKind: String, CaseIterable, Sendable {
    case main, edition, dlc, expansion, bundle, mod, episode, season, remake, remaster, port, pack
    case update, other

    public init(type: Int, isEdition: Bool) {
        switch type {
        case 0, 4: self = isEdition ? .edition : .main
        case 1: self = .dlc
        case 2: self = .expansion
        case 3: self = .bundle
        case 5: self = .mod
        case 6: self = .episode
        case 7: self = .season
        case 8: self = .remake
        case 9, 10: self = .remaster
        case 11: self = .port
        case 13: self = .pack
        case 14: self = .update
        default: self = .other
        }
    }

    /// 0 for a game in its own right; higher for a part or another form of another game.
    public var tier: Int {
        switch self {
        case .main, .remake, .remaster: 0
        case .port, .edition, .bundle, .expansion: 1
        case .dlc, .mod, .episode, .season, .pack, .update, .other: 2
        }
    }
}
