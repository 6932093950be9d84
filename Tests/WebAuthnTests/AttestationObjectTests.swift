import Testing

@testable import WebAuthn

@Suite("An attestation object")
struct AttestationObjectTests {
    private let data = SoftwareAuthenticator().creation().authenticatorData

    private var members: [([UInt8], [UInt8])] {
        [
            (CBOR.text("fmt"), CBOR.text("none")), (CBOR.text("attStmt"), CBOR.emptyMap),
            (CBOR.text("authData"), CBOR.bytes(data)),
        ]
    }

    private func isAccepted(_ bytes: [UInt8]) -> Bool {
        (try? AttestationObject(bytes)) != nil
    }

    @Test("has its members in any order")
    func order() {
        #expect(isAccepted(CBOR.map(members)))
        #expect(isAccepted(CBOR.map(members.reversed())))
    }

    @Test("has three members, each of its type")
    func types() {
        for index in 0..<3 {
            var missing = members
            missing.remove(at: index)
            #expect(!isAccepted(CBOR.map(missing)))
            #expect(!isAccepted(CBOR.map(members + [members[index]])))
        }
        #expect(!isAccepted(CBOR.map(members + [(CBOR.text("more"), CBOR.int(1))])))
        var other = members
        other[0].1 = CBOR.bytes(Array("none".utf8))
        #expect(!isAccepted(CBOR.map(other)))
        other = members
        other[2].1 = CBOR.text("data")
        #expect(!isAccepted(CBOR.map(other)))
        #expect(!isAccepted(CBOR.array([CBOR.text("none"), CBOR.emptyMap, CBOR.bytes(data)])))
    }

    @Test("has at most 64 kibibytes")
    func size() {
        func object(_ padding: Int) -> [UInt8] {
            var padded = members
            padded[0].1 = CBOR.text("packed")
            padded[1].1 = CBOR.map([
                (CBOR.text("sig"), CBOR.bytes([UInt8](repeating: 0, count: padding)))
            ])
            return CBOR.map(padded)
        }
        let fixed = object(60_000).count - 60_000
        #expect(isAccepted(object(65_535 - fixed + 1)))
        #expect(object(65_536 - fixed).count == 65_536)
        #expect(!isAccepted(object(65_537 - fixed)))
    }

    @Test("may be nested four levels deep")
    func nesting() {
        func object(_ statement: [UInt8]) -> [UInt8] {
            var nested = members
            nested[0].1 = CBOR.text("compound")
            nested[1].1 = statement
            return CBOR.map(nested)
        }
        let three = CBOR.array([CBOR.array([CBOR.array([])])])
        #expect(isAccepted(object(three)))
        #expect(!isAccepted(object(CBOR.array([three]))))
    }
}
