import Foundation

/// Why a change of a list was rejected.
public enum ListError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooManyEntries
    case duplicateGame(game: Int, platform: Int)
    case unknownGame(Int)
    case unknownPlatform(Int)
    case gameNotOnPlatform(game: Int, platform: Int)
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
        case .unknownGame(let id): "Game \(id) is unknown here."
        case .unknownPlatform(let id): "Platform \(id) is unknown here."
        case .gameNotOnPlatform(let game, let platform):
            "Game \(game) is not on platform \(platform)."
        case .positionOutOfRange(let position, let allowed):
            "The position must be from \(allowed.lowerBound) to \(allowed.upperBound), "
                + "not \(position)."
        case .commentTooLong(let characters):
            "A comment can have at most \(Comment.limit) characters; this one has \(characters)."
        case .noSuchEntry: "There is no such entry on the list."
        case .changedMeanwhile: "The list has changed since it was read."
        }
    }
}
