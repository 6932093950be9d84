import Foundation
import TestSupport
import Testing

@Suite("What serves requests")
struct RegularExpressionTests {
    /// Work outside of a request, or on another task, would silently get the default.
    @Test("has everything from its arguments, and nothing from the task that it runs in")
    func taskLocals() throws {
        for folder in ["Sources", "Views"] {
            let folder = TestDatabase.repository + "/" + folder
            let files = try #require(FileManager.default.enumerator(atPath: folder))
                .compactMap { $0 as? String }
                .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".html") }
            #expect(files.count > 30)
            for file in files {
                let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                #expect(!text.contains("TaskLocal"), "\(file)")
            }
        }
    }

    /// Swift parses a regular expression literal anew at each use.
    @Test("uses no regular expression, except for cells of imported files, and these are stored")
    func none() throws {
        let sources = TestDatabase.repository + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources))
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
        #expect(files.count > 400)
        // After "=", or as the argument of a call.
        let literal =
            /(?:Regex ?[<({]|(?:of|separator|with): #?\/|\.[a-z][A-Za-z]*\(#?\/|= #?\/|=\n +#?\/)\S.*/
        let elsewhere = ["App/", "Demo/", "view-compiler/"]
        for file in files where !elsewhere.contains(where: file.hasPrefix) {
            let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
            for match in text.matches(of: literal) {
                let start = text[..<match.range.lowerBound].suffix(60)
                #expect(
                    file == "Imports/ImportFile.swift" && start.contains("static let"),
                    "\(file): \(match.0)")
            }
        }
    }
}
