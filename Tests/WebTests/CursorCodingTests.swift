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
            includedBy: 2_147_483_647, sortName: sortName, gameID: 71, rank: 3, position: 20)
        let read = try #require(RankingCursor(cursor: cursor.cursor))
        #expect(read == cursor)
        #expect(Array(read.sortName.unicodeScalars) == Array(sortName.unicodeScalars))
    }

    @Test("of inclusions comes back as it was", arguments: [0, 1, 1_700_000_000_123_456])
    func inclusions(createdAt: Int) throws {
        let cursor = InclusionCursor(createdAt: createdAt, id: UUID())
        #expect(InclusionCursor(cursor: cursor.cursor) == cursor)
    }

    @Test("stands in a query as it is, whatever its length")
    func alphabet() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for length in 0..<64 {
            let name = String(repeating: "ÿ>?", count: length)
            let cursor = RankingCursor(
                includedBy: 1, sortName: name, gameID: 1, rank: 1, position: 1)
            #expect(cursor.cursor.allSatisfy(allowed.contains))
            #expect(RankingCursor(cursor: cursor.cursor) == cursor)
        }
    }

    @Test("is what RFC 4648 calls base64url without padding")
    func encoding() {
        let cursor = RankingCursor(includedBy: 5, sortName: "a?", gameID: 71, rank: 1, position: 1)
        let base64 = Data("r1\n5\n71\n1\n1\na?".utf8).base64EncodedString()
        #expect(
            cursor.cursor
                == base64.replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: ""))
    }

    @Test("of one kind is not one of the other")
    func kinds() {
        let ranking = RankingCursor(includedBy: 1, sortName: "x", gameID: 1, rank: 1, position: 1)
        let inclusion = InclusionCursor(createdAt: 5, id: UUID())
        #expect(InclusionCursor(cursor: ranking.cursor) == nil)
        #expect(RankingCursor(cursor: inclusion.cursor) == nil)
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("=", with: "")
    }

    @Test(
        "is not anything else",
        arguments: [
            "", "a", "!!!!", "====", "null", "💩", "r1", String(repeating: "A", count: 4000),
            base64(""), base64("r1"), base64("r1\n1\n1\n1\n1"), base64("r2\n1\n1\n1\n1\nx"),
            base64("r1\n-1\n1\n1\n1\nx"), base64("r1\n0\n1\n1\n1\nx"),
            base64("r1\n1\n1\n2\n1\nx"), base64("r1\n1\n99999999999\n1\n1\nx"),
            base64("r1\n1\n1\n1\n1\nx\0y"), base64("r1\n+1\n1\n1\n1\nx"),
            base64("r1\n1\n1\n1\n \nx"),
            base64("i1\n5"), base64("i1\n5\nno-uuid"), base64("i1\n-5\n\(UUID())"),
            base64("i1\n4102444800000001\n\(UUID())"), base64("i1\n1.5\n\(UUID())"),
            base64("i1\n99999999999999999999\n\(UUID())"),
            Data([0x72, 0x31, 0x0A, 0xFF, 0xFE]).base64EncodedString(),
        ])
    func garbage(text: String) {
        #expect(RankingCursor(cursor: text) == nil)
        #expect(InclusionCursor(cursor: text) == nil)
    }
}
