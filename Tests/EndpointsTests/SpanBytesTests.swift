import Encodings
import Testing

@Suite("A view of bytes")
struct SpanBytesTests {
    /// Bytes that differ, of a length that may end within a word.
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 + 1) } }

    private func areEqual(_ a: [UInt8], _ b: [UInt8], setting bits: UInt8 = 0) -> Bool {
        a.span.isEqual(to: b.span, setting: bits)
    }

    private func starts(_ bytes: [UInt8], with prefix: [UInt8]) -> Bool {
        bytes.span.starts(with: prefix.span)
    }

    @Test("equals only the same bytes, whatever their number and wherever they differ")
    func equality() {
        for count in 0...24 {
            let bytes = bytes(count)
            #expect(areEqual(bytes, bytes))
            #expect(starts(bytes, with: bytes))
            #expect(starts(bytes + [9], with: bytes))
            #expect(!starts(bytes, with: bytes + [9]))
            #expect(!areEqual(bytes, bytes + [9]))
            for place in 0..<count {
                var other = bytes
                other[place] ^= 0x80
                #expect(!areEqual(bytes, other))
                #expect(!starts(bytes + [9], with: other))
            }
        }
    }

    @Test("equals bytes that lack the bits which are set in it")
    func setting() {
        let (upper, lower) = (Array("TRANSFER-ENCODING".utf8), Array("transfer-encoding".utf8))
        #expect(areEqual(upper, lower, setting: 0x20))
        #expect(!areEqual(upper, lower))
        for place in lower.indices {
            var other = upper
            other[place] ^= 1
            #expect(!areEqual(other, lower, setting: 0x20))
        }
    }

    @Test("finds a byte where it first occurs")
    func position() {
        for count in 0...24 {
            let bytes = bytes(count)
            for start in 0...count {
                for end in start...count {
                    for byte in bytes + [0] {
                        let expected = bytes[start..<end].firstIndex(of: byte)
                        let position = bytes.span.position(of: byte, from: start, before: end)
                        #expect(position == expected)
                    }
                }
            }
        }
    }

    @Test("stops the program, in a release too, rather than read beyond its bytes")
    func bounds() async {
        await #expect(processExitsWith: .failure) { _ = [UInt8](1...8).span.word(at: 1) }
        await #expect(processExitsWith: .failure) { _ = [UInt8](1...8).span.word(at: -1) }
        await #expect(processExitsWith: .failure) { _ = [UInt8](1...8).span.part(5, 2).count }
        await #expect(processExitsWith: .failure) { _ = [UInt8](1...8).span.part(-1, 2).count }
        await #expect(processExitsWith: .failure) { _ = [UInt8](1...8).span.part(from: 9).count }
        await #expect(processExitsWith: .failure) {
            _ = [UInt8](1...8).span.position(of: 1, from: -3, before: 3)
        }
        await #expect(processExitsWith: .failure) {
            _ = [UInt8](1...8).span.position(of: 1, from: 0, before: 9)
        }
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: 1) { $0.append(copying: [UInt8](1...9).span) }
        }
    }
}
