import Foundation

/// Why a list cannot be as someone wants it.
public enum ListError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooManyEntries
    case duplicateGame(game: Int, platform: Int)
    case unknownGame(Int)
    case unknownPlatform(Int)
    case gameNotOnPlatform(game: Int, platform: Int)
    case positionOutOfRange(Int, allowed: ClosedRange<Int>)
    case commentTooLong(characters: Int)
    case noSuchEntry(UUID)
    /// The list is not the one that the change was made for.
    case changedMeanwhile

    public var description: String {
        switch self {
        case .tooManyEntries:
            "A list has at most \(FaveList.limit) entries. Remove one first, or replace it."
        case .duplicateGame(let game, let platform):
            "Game \(game) for platform \(platform) is on the list already."
        case .unknownGame(let id): "Game \(id) is not known here."
        case .unknownPlatform(let id): "Platform \(id) is not known here."
        case .gameNotOnPlatform(let game, let platform):
            "Game \(game) is not on platform \(platform)."
        case .positionOutOfRange(let position, let allowed):
            "Position \(position) is not between \(allowed.lowerBound) and \(allowed.upperBound)."
        case .commentTooLong(let characters):
            "A comment has at most \(Comment.limit) characters; this one has \(characters)."
        case .noSuchEntry: "There is no such entry on the list."
        case .changedMeanwhile: "The list has changed since it was read."
        }
    }
}
