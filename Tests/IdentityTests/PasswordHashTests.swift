import Foundation
import Testing

@testable import Identity

@Suite("A password's hash")
struct PasswordHashTests {
    private static let costs = PasswordHash.Costs(ln: 4)

    private static func text(
        costs: String = "ln=4,r=8,p=1", salt: String = "MDEyMzQ1Njc4OWFiY2RlZg",
        key: String = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
    ) -> String {
        "$scrypt$\(costs)$\(salt)$\(key)"
    }

    /// The third vector of RFC 7914 section 12; the first two have salts that are too short to be
    /// taken, and the fourth takes a gigabyte.
    @Test("is scrypt as RFC 7914 has it")
    func vector() throws {
        let key = """
            7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
            d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
            """
        let bytes = stride(from: 0, to: key.count, by: 2).map { start in
            UInt8(key.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
        func unpadded(_ data: Data) -> String {
            data.base64EncodedString().replacing("=", with: "")
        }
        let text = Self.text(
            costs: "ln=14,r=8,p=1", salt: unpadded(Data("SodiumChloride".utf8)),
            key: unpadded(Data(bytes)))
        let hash = try #require(PasswordHash(parsing: text))
        #expect(try hash.matches("pleaseletmein"))
        #expect(try !hash.matches("pleaseletmeon"))
        #expect(hash.text == text)
    }

    @Test("matches its password, also when it was stored in between, and no other")
    func roundTrip() throws {
        for password in [
            "", "tulip staple 42", "päß 山 🎮\u{0}", String(repeating: "x", count: 2000),
        ] {
            let hash = try PasswordHash(password, costs: Self.costs)
            let stored = try #require(PasswordHash(parsing: hash.text))
            #expect(stored.text == hash.text)
            #expect(stored.costs == Self.costs)
            #expect(try stored.matches(password))
            for other in [password + " ", " " + password, "Tulip staple 42"] {
                #expect(try !stored.matches(other))
            }
        }
    }

    @Test("is in the PHC string format, with a salt of its own each time")
    func format() throws {
        let texts = try (0..<20).map { _ in try PasswordHash("tulip", costs: Self.costs).text }
        #expect(Set(texts).count == 20)
        for text in texts {
            #expect(
                text.wholeMatch(
                    of: /\$scrypt\$ln=4,r=8,p=3\$[A-Za-z0-9+\/]{22}\$[A-Za-z0-9+\/]{43}/) != nil)
        }
        #expect(Set(texts.compactMap { $0.split(separator: "$").last }).count == 20)
    }

    @Test("has the costs that are recommended unless others are asked for")
    func recommended() {
        let costs = PasswordHash.Costs()
        #expect((costs.ln, costs.r, costs.p) == (15, 8, 3))
        #expect(PasswordHash.Costs(ln: 15) == costs)
        #expect(PasswordHash.Costs(ln: 16) != costs)
    }

    @Test("of a text in composed form is that of the same text in decomposed form")
    func normalForms() throws {
        let composed = "p\u{E4}ssw\u{F6}rter \u{AC00}"
        let decomposed = "pa\u{308}sswo\u{308}rter \u{1100}\u{1161}"
        #expect(!composed.unicodeScalars.elementsEqual(decomposed.unicodeScalars))
        #expect(try PasswordHash(composed, costs: Self.costs).matches(decomposed))
        #expect(try PasswordHash(decomposed, costs: Self.costs).matches(composed))
        #expect(try !PasswordHash(composed, costs: Self.costs).matches("passworter \u{AC00}"))
        // Compatibility is not identity: NFC, not NFKC.
        #expect(try !PasswordHash("ﬁve fives", costs: Self.costs).matches("five fives"))
    }

    @Test("is read with costs within bounds")
    func costs() throws {
        for text in ["ln=1,r=1,p=1", "ln=20,r=16,p=16", "ln=15,r=8,p=3"] {
            let hash = try #require(PasswordHash(parsing: Self.text(costs: text)))
            #expect(hash.text == Self.text(costs: text))
        }
        let hash = try #require(PasswordHash(parsing: Self.text(costs: "ln=12,r=9,p=2")))
        #expect((hash.costs.ln, hash.costs.r, hash.costs.p) == (12, 9, 2))
    }

    @Test(
        "is not read with costs that the server would not bear, or cannot read",
        arguments: [
            "ln=0,r=8,p=1", "ln=21,r=8,p=1", "ln=63,r=8,p=1", "ln=99,r=8,p=1", "ln=100,r=8,p=1",
            "ln=4,r=0,p=1", "ln=4,r=17,p=1", "ln=4,r=8,p=0", "ln=4,r=8,p=17", "ln=-4,r=8,p=1",
            "ln=4,r=8", "r=8,ln=4,p=1", "ln=4,r=8,p=1,x=1", "ln=4, r=8,p=1", "", "ln=,r=8,p=1",
            "ln=٤,r=8,p=1", "LN=4,r=8,p=1", "ln=4,r=8,p=1\n",
        ])
    func badCosts(costs: String) {
        #expect(PasswordHash(parsing: Self.text(costs: costs)) == nil)
    }

    @Test("is not read from anything else")
    func malformed() {
        let good = Self.text()
        #expect(PasswordHash(parsing: good) != nil)
        let malformed: [String] = [
            "", "$", "$$$$", "scrypt", String(good.dropFirst()), good + "$", "$" + good,
            good + "=", good + " ", " " + good, good + "!",
            good.replacing("scrypt", with: "argon2id"),
            good.replacing("scrypt", with: "SCRYPT"), Self.text(salt: ""), Self.text(key: ""),
            Self.text(salt: "MDEyMzQ1"), Self.text(salt: "MDEyMzQ1Njc4OWFiY2RlZg=="),
            Self.text(salt: "MDEyMzQ1Njc4OWFiY2RlZ"), Self.text(key: "MDEyMzQ1Njc4OQ"),
            Self.text(key: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZW_"),
            Self.text(salt: String(repeating: "A", count: 100)),
            Self.text(key: String(repeating: "A", count: 100)), "$2b$12$abcdefghijklmnopqrstuv",
        ]
        for text in malformed { #expect(PasswordHash(parsing: text) == nil, "\(text)") }
    }
}
