import Foundation
import TestSupport
import Testing

@Suite("The module Web")
struct WritingTests {
    /// The compiler keeps it from what writes in Storage, unless a file asks for it.
    @Test("changes stored data only through what people can do")
    func asksForNothing() throws {
        let folder = TestDatabase.repository + "/Sources/Web"
        let files = try #require(FileManager.default.enumerator(atPath: folder))
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
        #expect(files.count > 100)
        for file in files {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            #expect(!text.contains("@_spi"), "\(file)")
        }
    }
}
