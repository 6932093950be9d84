public import Foundation

/// Why a change of a list was rejected.
public enum ListError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooManyEntries
    case duplicateGame(game: Int, platform: Int)
    /// Entries whose game or platform is unknown, or whose game isn't on the platform: all of them, in
    /// order.
    case wrongPicks([WrongPick])
    case positionOutOfRange(Int, allowed: ClosedRange<Int>)
    case commentTooLong(characters: Int)
    case noSuchEntry(UUID)
    /// The list has changed since the version that the change was made for.
    case changedMeanwhile

    public var description: String {
        switch self {
        case .tooManyEntries:
            "A list can have at most \(FaveList.limit) entries. Remove or replace one first."
        case .duplicateGame(let game, let platform):
            "Game \(game) for platform \(platform) is already on the list."
        case .wrongPicks(let picks): picks.map(\.description).joined(separator: " ")
        case .positionOutOfRange(let position, let allowed):
            "The position must be from \(allowed.lowerBound) to \(allowed.upperBound), "
                + "not \(position)."
        case .commentTooLong(let characters):
            "Keep it to \(Comment.limit) characters: this is \(characters - Comment.limit) over."
        case .noSuchEntry: "There is no such entry on the list."
        case .changedMeanwhile: "The list has changed since it was read."
        }
    }
}

/// An entry that can't be on a list.
public struct WrongPick: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case unknownGame = "unknown-game"
        case unknownPlatform = "unknown-platform"
        case notOnPlatform = "not-on-platform"
    }

    /// The entry's place in the draft, from 0.
    public let index: Int
    public let pick: Pick
    public let reason: Reason

    public init(at index: Int, _ pick: Pick, _ reason: Reason) {
        self.index = index
        self.pick = pick
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .unknownGame: Self.unknownGame(pick.game)
        case .unknownPlatform: "Platform \(pick.platform) is unknown here."
        case .notOnPlatform: "Game \(pick.game) is not on platform \(pick.platform)."
        }
    }

    public static func unknownGame(_ id: Int) -> String { "Game \(id) is unknown here." }
}
