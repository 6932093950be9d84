import TestSupport
import Testing

@testable import HTTP

@Suite("gzip", .blocking)
struct GzipTests {
    @Test("comes back as it was", arguments: [1, 6, 9, 12])
    func roundTrip(level: Int) throws {
        var generator = SystemRandomNumberGenerator()
        for bytes in [
            [], [0], Array("<p>portal</p>".utf8), [UInt8](repeating: 65, count: 1_000_000),
            (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
        ] {
            let compressed = try #require(Gzip(level: level).compress(bytes))
            #expect(compressed.prefix(2) == [0x1F, 0x8B], "RFC 1952 section 2.3.1")
            #expect(try Gunzip.decompress(compressed) == bytes)
        }
    }

    @Test("is made by one compressor again and again, whatever came before")
    func reused() throws {
        let gzip = Gzip(level: 1)
        let texts = [
            [UInt8](repeating: 65, count: 300_000), [], Array("<p>portal</p>".utf8), [0],
            (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) },
        ]
        for text in texts + texts.reversed() {
            let compressed = try #require(gzip.compress(text))
            #expect(try Gunzip.decompress(compressed) == text)
        }
    }

    @Test("is refused, and nothing broken, when libdeflate cannot begin")
    func impossible() {
        let gzip = Gzip(level: 13)
        for _ in 0..<3 { #expect(gzip.compress([1]) == nil) }
    }

    @Test("is smaller, for what repeats")
    func smaller() throws {
        let bytes = Array(String(repeating: "{\"name\": \"Portal\"}, ", count: 500).utf8)
        #expect(try #require(Gzip(level: 1).compress(bytes)).count < bytes.count / 20)
    }
}
