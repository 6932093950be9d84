import Crypto
import Encodings
import Foundation
import Testing

@testable import Identity

@Suite("A secret token")
struct SecretTokenTests {
    @Test("is read back from its text, with the same hash")
    func roundTrip() throws {
        for _ in 0..<50 {
            let token = SecretToken()
            #expect(token.text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
            let read = try #require(SecretToken(token.text))
            #expect(read.text == token.text)
            #expect(read.hash == token.hash)
            #expect(token.hash.count == 32)
            let bytes = try #require(Base64URL.decode(token.text.utf8))
            #expect(token.hash == Array(SHA256.hash(data: bytes)))
        }
    }

    @Test("is another each time")
    func random() {
        #expect(Set((0..<1000).map { _ in SecretToken().text }).count == 1000)
        #expect(Set((0..<1000).map { _ in SecretToken().hash }).count == 1000)
    }

    @Test("is not read from anything of another form")
    func malformed() {
        let text = SecretToken().text
        let short = String(text.dropLast())
        let malformed: [String] = [
            "", "x", short, text + "A", text + "=", short + "=", short + "+", short + " ",
            " " + short, String(short.dropLast()) + "é", String(repeating: "/", count: 43),
        ]
        for bad in malformed {
            #expect(SecretToken(bad) == nil, "\(bad)")
        }
    }

    @Test("derives other secrets, another for each purpose")
    func derive() throws {
        let token = SecretToken()
        let form = token.derive("form")
        #expect(form == token.derive("form"))
        #expect(form == SecretToken(token.text)?.derive("form"))
        #expect(form != token.derive("sign-in"))
        #expect(form != token.derive(""))
        #expect(form != SecretToken().derive("form"))
        #expect(form != token.text)
        #expect(form != Base64URL.encode(token.hash))
    }

    @Test("knows what it derived, and for what")
    func derives() {
        let token = SecretToken()
        let form = token.derive("form")
        #expect(token.derives("form", is: form))
        #expect(!token.derives("sign-in", is: form))
        #expect(!SecretToken().derives("form", is: form))
        for bad in ["", "x", form + "A", String(form.dropLast()), form + "=", token.text] {
            #expect(!token.derives("form", is: bad), "\(bad)")
        }
        for index in form.indices {
            var changed = form
            changed.replaceSubrange(index...index, with: form[index] == "A" ? "Q" : "A")
            #expect(!token.derives("form", is: changed))
        }
    }
}

@Suite("Base64 for addresses")
struct Base64URLTests {
    /// As Foundation makes it.
    private func reference(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    @Test("is what Foundation makes, in the other alphabet and without padding")
    func foundation() {
        var generator = SystemRandomNumberGenerator()
        for count in 0...300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let text = Base64URL.encode(bytes)
            #expect(text == reference(bytes))
            #expect(Base64URL.decode(text.utf8).map(Array.init) == bytes)
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Base64URL.encode(all) == reference(all))
    }

    @Test("is as the vectors of RFC 4648 section 10 have it")
    func vectors() {
        for (plain, text) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.encode(plain.utf8) == text)
            #expect(Base64URL.decode(text.utf8) == Data(plain.utf8))
        }
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "Zg==", "Zg=", "=", "Zm9v=", "+/+/", "Zm9v/", "A", "AAAAA", "Zm 9v", "Zm9v\n", " Zg",
            "Zm9v!", "Zé", "\u{0}AAA",
            // With bits that mean nothing.
            "Zh", "Zm9", "Zm9vYh", "Zm9vYmF", "__",
        ])
    func refusals(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
