import FaveGames
import Foundation
import Identity

/// A place in a list of things as a client carries it: opaque, safe in a query.
protocol CursorCoding {
    /// - Returns: `nil` if the text is not one that `cursor` gave.
    init?(cursor text: String)
    var cursor: String { get }
}

extension CursorCoding {
    fileprivate static func encode(_ fields: [String]) -> String {
        Base64URL.encode(fields.joined(separator: "\n").utf8)
    }

    /// - Parameter count: How many fields there must be; the last may hold anything.
    fileprivate static func decode(_ text: String, count: Int) -> [String]? {
        guard text.utf8.count <= 2048 else { return nil }
        guard let data = Base64URL.decode(text.utf8),
            let joined = String(data: data, encoding: .utf8)
        else { return nil }
        let fields = joined.split(
            separator: "\n", maxSplits: count - 1, omittingEmptySubsequences: false)
        guard fields.count == count, !joined.utf8.contains(0) else { return nil }
        return fields.map(String.init)
    }
}

extension RankingCursor: CursorCoding {
    var cursor: String {
        Self.encode([
            "r1", String(includedBy), String(gameID), String(rank), String(position), sortName,
        ])
    }

    init?(cursor text: String) {
        guard let fields = Self.decode(text, count: 6), fields[0] == "r1" else { return nil }
        let numbers = fields[1...4].compactMap { GameID.parse($0) }
        guard numbers.count == 4, numbers[2] <= numbers[3] else { return nil }
        self.init(
            includedBy: numbers[0], sortName: fields[5], gameID: numbers[1], rank: numbers[2],
            position: numbers[3])
    }
}

extension InclusionCursor: CursorCoding {
    var cursor: String { Self.encode(["i1", String(createdAt), id.uuidString]) }

    init?(cursor text: String) {
        guard let fields = Self.decode(text, count: 3), fields[0] == "i1",
            // From 1970 to about 2100.
            let createdAt = Int(fields[1]), (0...4_102_444_800_000_000).contains(createdAt),
            let id = UUID(uuidString: fields[2])
        else { return nil }
        self.init(createdAt: createdAt, id: id)
    }
}
