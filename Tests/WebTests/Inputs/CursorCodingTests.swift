import FaveGames
import Foundation
import Testing

@testable import Web

@Suite("A cursor")
struct CursorCodingTests {
    @Test(
        "of a ranking comes back as it was",
        arguments: [
            "portal", "", "two\nlines", "\n\n", "\r\n", "\r", "pokemon é", "日本語", "👩‍👩‍👧",
            "\u{301}mark", "a|b,c;d", String(repeating: "x", count: 1000), " ",
        ])
    func ranking(sortName: String) throws {
        let cursor = RankingCursor(
            platformID: 48, includedBy: 2_147_483_647, sortName: sortName, gameID: 71, rank: 3,
            position: 20)
        let read = try #require(RankingCursor(text: cursor.text))
        #expect(read == cursor)
        #expect(Array(read.sortName.unicodeScalars) == Array(sortName.unicodeScalars))
    }

    @Test("of inclusions comes back as it was", arguments: [0, 1, 1_700_000_000_123_456])
    func inclusions(createdAt: Int) throws {
        let cursor = InclusionCursor(createdAt: createdAt, id: UUID())
        #expect(InclusionCursor(text: cursor.text) == cursor)
        let back = InclusionCursor(.before, createdAt: createdAt, id: cursor.id)
        #expect(InclusionCursor(text: back.text) == back)
        #expect(back != cursor)
    }

    @Test("of one kind is not one of the other")
    func kinds() {
        let ranking = RankingCursor(
            platformID: 48, includedBy: 1, sortName: "x", gameID: 1, rank: 1, position: 1)
        let inclusion = InclusionCursor(createdAt: 5, id: UUID())
        #expect(InclusionCursor(text: ranking.text) == nil)
        #expect(RankingCursor(text: inclusion.text) == nil)
    }

    @Test(
        "is not anything else",
        arguments: [
            "", "a", "!!!!", "====", "null", "💩", "r1", String(repeating: "A", count: 4000),
            "r1\n48\n1\n1\n1\n1", "r3\n48\n1\n1\n1\n1\nx",
            "r1\n48\n-1\n1\n1\n1\nx", "r1\n48\n0\n1\n1\n1\nx",
            "r1\n48\n1\n1\n2\n1\nx", "r1\n48\n1\n99999999999\n1\n1\nx",
            "r1\n48\n1\n1\n1\n1\nx\0y", "r1\n48\n+1\n1\n1\n1\nx",
            "r1\n48\n1\n1\n1\n \nx",
            "r1\n0\n1\n1\n1\n1\nx",
            "i1\n5", "i1\n5\nno-uuid", "i1\n-5\n\(UUID())",
            "i1\n4102444800000001\n\(UUID())", "i1\n1.5\n\(UUID())",
            "i1\n99999999999999999999\n\(UUID())",
            "i1\n+5\n\(UUID())", "i1\n05\n\(UUID())", "i1\n-0\n\(UUID())",
            "i1\n5\n0000000A-0000-4000-8000-000000000000",
        ])
    func garbage(text: String) {
        #expect(RankingCursor(text: text) == nil)
        #expect(InclusionCursor(text: text) == nil)
    }
}
