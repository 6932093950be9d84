import Foundation
import Testing

@testable import view_compiler

@Suite("Views/Languages")
struct CatalogueFilesTests {
    private static let views = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Views")

    @Test("has the messages of all templates and files of words")
    func template() throws {
        let root = Self.views.deletingLastPathComponent().path + "/"
        let found = FileManager.default.enumerator(at: Self.views, includingPropertiesForKeys: nil)
        let files = (found?.compactMap { $0 as? URL } ?? [])
            .filter { ["html", "words"].contains($0.pathExtension) }
            .map { String($0.path.dropFirst(root.count)) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var messages = MessageTemplate()
        for file in files {
            let source = try String(contentsOfFile: root + file, encoding: .utf8)
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            messages.add(
                file.hasSuffix(".words")
                    ? try WordsFile(source, file: file, name: name).messages
                    : try Template(source, file: file, name: name).messages, of: file)
        }
        let recorded = try String(
            contentsOf: Self.views.appending(path: "Languages/messages.pot"), encoding: .utf8)
        #expect(messages.text == recorded, "Run script/languages update.")
    }
}
