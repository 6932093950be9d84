import FaveGames
import Foundation

/// A place in a list of things as a client carries it: opaque, safe in a query.
protocol CursorCoding {
    /// - Returns: `nil` if the text is not one that `cursor` gave.
    init?(cursor text: String)
    var cursor: String { get }
}

extension CursorCoding {
    fileprivate static func encode(_ fields: [String]) -> String {
        // RFC 4648 section 5, without padding. Byte by byte: every ranking ends with a cursor, and
        // Foundation's way took longer than the rest of the answer.
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            bytes.append(contentsOf: field.utf8)
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for _ in 0...group.count {
                text.append(alphabet[bits >> 18 & 63])
                bits <<= 6
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter count: How many fields there must be; the last may hold anything.
    fileprivate static func decode(_ text: String, count: Int) -> [String]? {
        guard text.utf8.count <= 2048 else { return nil }
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        guard let data = Data(base64Encoded: base64),
            let joined = String(data: data, encoding: .utf8)
        else { return nil }
        let fields = joined.split(
            separator: "\n", maxSplits: count - 1, omittingEmptySubsequences: false)
        guard fields.count == count, !joined.utf8.contains(0) else { return nil }
        return fields.map(String.init)
    }
}

private let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

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
