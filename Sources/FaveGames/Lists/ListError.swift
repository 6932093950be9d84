public import Foundation

/// Why a change of a list was rejected.
public enum ListError: Error, Hashable, Sendable {
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
}

/// An entry that can't be on a list.
public struct WrongPick: Hashable, Sendable {
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
}
