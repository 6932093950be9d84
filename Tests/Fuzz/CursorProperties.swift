import Encodings
import FaveGames
import Foundation

@testable import Web

/// Only what a cursor is written as is read as one, and every cursor comes back as it was; so do
/// bytes in Base64.
enum CursorProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        let ranking = RankingCursor(text: text)
        let inclusion = InclusionCursor(text: text)
        require(ranking == nil || inclusion == nil, "a cursor of both kinds")
        for written in [ranking?.text, inclusion?.text] {
            guard let written else { continue }
            require(written.utf8.elementsEqual(text.utf8), "\(text) is written as \(written)")
        }
        checkRanking(Choices(input))
        checkInclusion(Choices(input))

        let encoded = Base64URL.encode(input)
        require(Base64URL.decode(encoded.utf8).map { Array($0) } == Array(input), encoded)
        if let decoded = Base64URL.decode(input) {
            let again = Base64URL.encode(decoded)
            require(again.utf8.elementsEqual(input), "\(text) is written as \(again)")
        }
    }

    private static func checkRanking(_ choices: Choices) {
        var choices = choices
        func id() -> Int { abs(choices.integer() % GameID.range.upperBound) + 1 }
        let direction: PageDirection = choices.chance(128) ? .after : .before
        let (rank, position) = (id(), id())
        let cursor = RankingCursor(
            direction, platformID: id(), includedBy: id(), sortName: "", gameID: id(),
            rank: min(rank, position), position: max(rank, position))
        let named = RankingCursor(
            direction, platformID: cursor.platformID, includedBy: cursor.includedBy,
            sortName: choices.text(), gameID: cursor.gameID, rank: cursor.rank,
            position: cursor.position)
        for cursor in [cursor, named] {
            let mayBeRead = cursor.text.utf8.count <= 2048 && !cursor.sortName.utf8.contains(0)
            let again = RankingCursor(text: cursor.text)
            require(again == (mayBeRead ? cursor : nil), "\(cursor) is read as \(again as Any)")
        }
    }

    private static func checkInclusion(_ choices: Choices) {
        var choices = choices
        let direction: PageDirection = choices.chance(128) ? .after : .before
        let createdAt = abs(choices.integer() % 4_102_444_800_000_001)
        let id = withUnsafeBytes(of: (choices.integer(), choices.integer())) { bytes in
            UUID(uuid: bytes.load(as: uuid_t.self))
        }
        let cursor = InclusionCursor(direction, createdAt: createdAt, id: id)
        require(InclusionCursor(text: cursor.text) == cursor, "\(cursor)")
    }
}
