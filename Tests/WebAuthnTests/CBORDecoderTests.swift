import Testing

@testable import WebAuthn

@Suite("The CBOR decoder")
struct CBORDecoderTests {
    private func refusal(_ bytes: [UInt8]) -> CBORError? {
        do throws(CBORError) {
            _ = try CBORDecoder.decode(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("decodes integers of all sizes")
    func integers() throws {
        for number in [
            0, 1, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max, -1, -24,
            -25, -256, -257, -65_537, .min,
        ] {
            #expect(try CBORDecoder.decode(CBOR.int(number)) == .int(number))
        }
        #expect(CBOR.int(-257) == [0x39, 0x01, 0x00])
    }

    @Test("decodes strings, arrays, maps and simple values")
    func values() throws {
        let bytes = CBOR.map([
            (CBOR.text("ключ"), CBOR.array([[0xF4], [0xF5], [0xF6]])),
            (CBOR.int(-3), CBOR.bytes([UInt8](repeating: 7, count: 300))),
            (CBOR.int(0), CBOR.text("")),
        ])
        #expect(
            try CBORDecoder.decode(bytes)
                == .map([
                    "ключ": .array([.bool(false), .bool(true), .null]),
                    -3: .bytes([UInt8](repeating: 7, count: 300)), 0: .text(""),
                ]))
    }

    @Test("rejects integers that take more bytes than they need")
    func shortest() {
        for bytes: [UInt8] in [
            [0x18, 0], [0x18, 23], [0x19, 0, 255], [0x1A, 0, 0, 255, 255],
            [0x1B, 0, 0, 0, 0, 255, 255, 255, 255], [0x38, 0], [0x39, 0, 1],
            [0x58, 1, 0], [0x59, 0, 1, 0], [0x78, 1, 0x61], [0x98, 1, 0], [0xB8, 1, 0, 0],
        ] {
            #expect(refusal(bytes) == .notShortest, "\(bytes)")
        }
    }

    @Test("rejects integers that do not fit into 64 bits with a sign")
    func range() {
        for head: UInt8 in [0x1B, 0x3B] {
            #expect(refusal([head, 0x7F] + [UInt8](repeating: 255, count: 7)) == nil)
            #expect(refusal([head, 0x80, 0, 0, 0, 0, 0, 0, 0]) == .integerTooLarge)
            #expect(refusal([head] + [UInt8](repeating: 255, count: 8)) == .integerTooLarge)
        }
    }

    @Test("rejects lengths that are not declared in advance")
    func indefinite() {
        for bytes: [UInt8] in [
            [0x5F, 0x41, 0, 0xFF], [0x7F, 0x61, 0x61, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF], [0x1F],
        ] {
            #expect(refusal(bytes) == .indefiniteLength)
        }
    }

    @Test("rejects tags, floating point and other simple values")
    func unsupported() {
        for bytes: [UInt8] in [
            [0xC0, 0x60], [0xD8, 0x20, 0x60], [0xF9, 0, 0], [0xFA, 0, 0, 0, 0],
            [0xFB, 0, 0, 0, 0, 0, 0, 0, 0], [0xF7], [0xE0], [0xF8, 0x20], [0xFF], [0x1C], [0x5D],
            [0x9E],
        ] {
            #expect(refusal(bytes) == .unsupportedValue, "\(bytes)")
        }
    }

    @Test("rejects duplicate keys, and keys that are neither integers nor texts")
    func keys() {
        let one = CBOR.int(1)
        #expect(refusal(CBOR.map([(one, one), (CBOR.text("1"), one)])) == nil)
        #expect(refusal(CBOR.map([(one, one), (one, CBOR.int(2))])) == .duplicateKey)
        let text = CBOR.text("fmt")
        #expect(refusal(CBOR.map([(text, one), (one, one), (text, one)])) == .duplicateKey)
        for key in [CBOR.bytes([1]), CBOR.array([]), CBOR.emptyMap, [0xF5], [0xF6]] {
            #expect(refusal(CBOR.map([(key, one)])) == .unsupportedKey)
        }
    }

    @Test("rejects texts that are not UTF-8")
    func encoding() {
        for bytes: [UInt8] in [
            [0x61, 0xFF], [0x62, 0xC0, 0x80], [0x63, 0xED, 0xA0, 0x80], [0x61, 0xC3],
        ] {
            #expect(refusal(bytes) == .notUTF8)
        }
    }

    @Test("decodes four levels of nesting, and rejects a fifth")
    func nesting() {
        for (open, close): ([UInt8], [UInt8]) in [
            ([0x81], [0x80]), ([0xA1, 0x01], [0xA0]),
        ] {
            func nested(_ depth: Int) -> [UInt8] {
                (1..<depth).flatMap { _ in open } + close
            }
            #expect(refusal(nested(4)) == nil)
            #expect(refusal(nested(5)) == .nestedTooDeep)
            #expect(refusal(nested(100_000)) == .nestedTooDeep)
        }
        // Keys are no way around it.
        #expect(refusal([UInt8](repeating: 0xA1, count: 100_000)) == .nestedTooDeep)
    }

    @Test("rejects declared lengths beyond the end without allocating them")
    func declaredLengths() {
        for type: UInt8 in [0x40, 0x60, 0x80, 0xA0] {
            for tail: [UInt8] in [
                [1], [23], [24, 255], [25, 255, 255], [26, 255, 255, 255, 255],
                [27, 127, 255, 255, 255, 255, 255, 255, 255],
                [27, 255, 255, 255, 255, 255, 255, 255, 255],
            ] {
                #expect(refusal([type | tail[0]] + tail.dropFirst()) == .truncated)
                #expect(refusal([type | tail[0]] + tail.dropFirst() + [0]) != nil || tail == [1])
            }
        }
        #expect(refusal([0xA2, 0, 0, 1]) == .truncated)
    }

    @Test("rejects what is cut anywhere, and what is followed by anything")
    func truncationAndTrailing() {
        let whole = CBOR.map([
            (CBOR.text("a"), CBOR.array([CBOR.int(70_000), CBOR.bytes([1, 2, 3])])),
            (CBOR.int(300), CBOR.map([(CBOR.int(-1), [0xF5])])),
        ])
        #expect(refusal(whole) == nil)
        for length in 0..<whole.count {
            #expect(refusal(Array(whole.prefix(length))) == .truncated)
        }
        #expect(refusal(whole + [0]) == .trailingBytes)
    }

    @Test("leaves the reader at the byte after the value")
    func reader() throws {
        var reader = ByteReader(CBOR.text("ab") + [1, 2])
        #expect(try CBORDecoder.decode(from: &reader) == .text("ab"))
        #expect(reader.index == 3)
        #expect(reader.remaining == 2)
    }
}
