import Foundation
import TestSupport
import Testing

@Suite("Package.swift")
struct PackageTests {
    /// What isn't compiled can't fail.
    @Test("leaves out no Swift file")
    func excluded() throws {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/Package.swift", encoding: .utf8)
        var count = 0
        for declaration in text.split(separator: "\n        .") {
            guard let name = declaration.firstMatch(of: /name: "([^"]+)"/)?.1,
                let excluded = declaration.firstMatch(of: /exclude: \[([^\]]*)\]/)?.1
            else { continue }
            let folder = declaration.firstMatch(of: /\bpath: "([^"]+)"/)?.1 ?? "Tests/\(name)"
            for entry in excluded.matches(of: /"([^"]+)"/) {
                let path = "\(TestDatabase.repository)/\(folder)/\(entry.1)"
                #expect(FileManager.default.fileExists(atPath: path))
                let files = FileManager.default.enumerator(atPath: path)?.compactMap {
                    $0 as? String
                }
                let uncompiled = (files ?? []).filter { $0.hasSuffix(".swift") }
                #expect(uncompiled.isEmpty, "\(folder)/\(entry.1)")
                count += 1
            }
        }
        #expect(count > 5)
    }
}
