import Foundation

@testable import FaveGames

extension FaveList {
    /// A list of games for platforms, whose entries have the ids `UUID.number(1)` and so on.
    static func of(_ picks: [(game: Int, platform: Int)]) -> FaveList {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let owner = User(
            id: .number(99), username: "rob", displayName: "Rob", createdAt: date,
            listUpdatedAt: date)
        let entries = picks.enumerated().map { index, pick in
            Entry(
                id: .number(index + 1), position: index + 1,
                game: Game(
                    id: pick.game, name: GameTitle("Game \(pick.game)"), releaseYear: nil,
                    coverImageID: nil),
                platform: Platform(
                    id: pick.platform, slug: "p\(pick.platform)", name: "P", abbreviation: nil),
                comment: "why \(pick.game)", includedBy: 1, createdAt: date, updatedAt: date)
        }
        return FaveList(owner: owner, entries: entries)
    }

    /// Games 1 to `count` for platform 48.
    static func ofGames(_ count: Int) -> FaveList { of((0..<count).map { ($0 + 1, 48) }) }
}

extension UUID {
    static func number(_ number: Int) -> UUID {
        UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8),
                UInt8(number & 255)
            ))
    }
}

extension ListDraft {
    var games: [Int] { entries.map(\.gameID) }
}
