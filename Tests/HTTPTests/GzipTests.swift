import TestSupport
import Testing

@testable import HTTP

@Suite("gzip")
struct GzipTests {
    @Test("comes back as it was", arguments: [1, 6, 9])
    func roundTrip(level: Int) throws {
        var generator = SystemRandomNumberGenerator()
        for bytes in [
            [], [0], Array("<p>portal</p>".utf8), [UInt8](repeating: 65, count: 1_000_000),
            (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
        ] {
            let compressed = try #require(Gzip.compress(bytes, level: level))
            #expect(compressed.prefix(2) == [0x1F, 0x8B], "RFC 1952 section 2.3.1")
            #expect(try Gunzip.decompress(compressed) == bytes)
        }
    }

    @Test("is smaller, for what repeats")
    func smaller() throws {
        let bytes = Array(String(repeating: "{\"name\": \"Portal\"}, ", count: 500).utf8)
        #expect(try #require(Gzip.compress(bytes, level: 1)).count < bytes.count / 20)
    }
}
