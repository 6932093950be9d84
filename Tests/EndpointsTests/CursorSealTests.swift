import Crypto
import Encodings
import Foundation
import Testing

@testable import Endpoints

@Suite("A cursor that a client carries")
struct CursorSealTests {
    private static func key() -> CursorSeal.Key {
        CursorSeal.Key(
            encryption: SymmetricKey(size: .bits256),
            nonces: HMAC(key: SymmetricKey(size: .bits256)))
    }

    private static func cursor(_ text: String = "a") -> AnyText<One> { AnyText(text: text) }

    @Test("stands in a query as it is, and comes back as it was, whatever its length")
    func alphabet() throws {
        let seal = CursorSeal([Self.key()])
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for length in 1..<64 {
            let cursor = Self.cursor(String(repeating: "ÿ>?", count: length))
            let text = try #require(seal.seal(cursor))
            #expect(text.allSatisfy(allowed.contains))
            #expect(seal.open(text) == cursor)
        }
    }

    @Test("is taken as long as the key is known that it was encrypted with")
    func rotation() throws {
        let old = Self.key()
        let new = Self.key()
        let text = try #require(CursorSeal([old]).seal(Self.cursor()))
        #expect(CursorSeal([new, old]).open(text) == Self.cursor())
        let opened: AnyText<One>? = CursorSeal([new]).open(text)
        #expect(opened == nil)
        #expect(CursorSeal([]).seal(Self.cursor()) == nil)
    }

    @Test("is not taken if a bit of it is another")
    func tampering() throws {
        let seal = CursorSeal([Self.key()])
        let text = try #require(seal.seal(Self.cursor()))
        let bytes = try #require(Base64URL.decode(text.utf8))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let opened: AnyText<One>? = seal.open(Base64URL.encode(changed))
                #expect(opened == nil, "byte \(index), bit \(bit)")
            }
        }
        let shortened: AnyText<One>? = seal.open(Base64URL.encode(bytes.dropLast()))
        #expect(shortened == nil)
    }

    @Test("of one kind is not one of the other")
    func kinds() throws {
        let seal = CursorSeal([Self.key()])
        let other: AnyText<Two>? = seal.open(try #require(seal.seal(AnyText<One>(text: "x"))))
        #expect(other == nil, "whatever the text says")
    }

    private protocol Letter { static var letter: String { get } }
    private enum One: Letter { static let letter = "1" }
    private enum Two: Letter { static let letter = "2" }

    private struct AnyText<Kind: Letter>: CursorCoding, Equatable {
        static var letter: String { Kind.letter }
        let text: String
    }

    @Test("says nothing about what it leads to, but that equal ones are equal")
    func secrecy() throws {
        let seal = CursorSeal([Self.key()])
        let cursors = (0..<100).map { _ in Self.cursor(UUID().uuidString) }
        var nonces: Set<Data> = []
        for cursor in cursors {
            let text = try #require(seal.seal(cursor))
            let bytes = try #require(Base64URL.decode(text.utf8))
            #expect(bytes.range(of: Data(cursor.text.utf8)) == nil)
            #expect(seal.seal(cursor) == text, "or else each response would have a tag of its own")
            nonces.insert(bytes.prefix(12))
        }
        #expect(nonces.count == cursors.count)
    }

    @Test(
        "is nothing that was not encrypted",
        arguments: [
            "", "a", "!!!!", "====", "null", "💩", "r1", String(repeating: "A", count: 43),
            String(repeating: "A", count: 5000),
            // As they were before they were signed, and before they were encrypted.
            Base64URL.encode("r1\n5\n71\n1\n1\na".utf8),
            Base64URL.encode(Array(repeating: 0, count: 32) + Array("r1\n5\n71\n1\n1\na".utf8)),
        ])
    func garbage(text: String) throws {
        let opened: AnyText<One>? = CursorSeal([Self.key()]).open(text)
        #expect(opened == nil)
    }
}
