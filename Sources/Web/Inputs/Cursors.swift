import Encodings
import Endpoints
import FaveGames
import Foundation

// Where the pages of long lists begin, as text.

extension CursorCoding {
    /// The first field of a cursor: the letter of its kind, then 1 if the page is after the cursor,
    /// or 2 if the page is before it.
    fileprivate static func name(_ direction: PageDirection) -> String {
        letter + (direction == .after ? "1" : "2")
    }

    fileprivate static func direction(_ name: String) -> PageDirection? {
        [.after, .before].first { self.name($0) == name }
    }
}

extension RankingCursor: CursorCoding {
    package static let letter = "r"

    package var text: String {
        Self.encode([
            Self.name(direction), String(platformID), String(includedBy), String(gameID),
            String(rank), String(position), sortName,
        ])
    }

    package init?(text: String) {
        guard let fields = Self.decode(text, count: 7),
            let direction = Self.direction(fields[0])
        else { return nil }
        let numbers = fields[1...5].compactMap { GameID.parse($0) }
        guard numbers.count == 5, numbers[3] <= numbers[4] else { return nil }
        self.init(
            direction, platformID: numbers[0], includedBy: numbers[1], sortName: fields[6],
            gameID: numbers[2], rank: numbers[3], position: numbers[4])
    }
}

extension InclusionCursor: CursorCoding {
    package static let letter = "i"

    package var text: String {
        Self.encode([Self.name(direction), String(createdAt), id.text])
    }

    package init?(text: String) {
        guard let fields = Self.decode(text, count: 3),
            let direction = Self.direction(fields[0]),
            // From 1970 to about 2100, in microseconds.
            let createdAt = Int(fields[1]), (0...4_102_444_800_000_000).contains(createdAt),
            let id = UUID(uuidString: fields[2])
        else { return nil }
        self.init(direction, createdAt: createdAt, id: id)
        // Numbers and UUIDs can be written in several ways; only ours is accepted.
        guard self.text == text else { return nil }
    }
}

extension ImportCursor: CursorCoding {
    package static let letter = "t"

    package var text: String { Self.encode([Self.name(direction), String(place)]) }

    package init?(text: String) {
        guard let fields = Self.decode(text, count: 2),
            let direction = Self.direction(fields[0]), let place = GameID.parse(fields[1])
        else { return nil }
        self.init(direction, place: place)
    }
}
