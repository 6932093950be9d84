import Foundation
import Languages
import TestSupport
import Testing
import Views

@testable import Web

@Suite("The words of scripts")
struct ScriptWordsTests {
    private let scripts = Assets.files.filter { $0.key.hasSuffix(".js") }
        .mapValues { String(decoding: $0, as: UTF8.self) }

    @Test("are those that pages in other languages have words for, and no others")
    func declared() {
        let said = Set(
            scripts.values.flatMap { $0.matches(of: /say\(\s*"([^"]+)"/).map { String($0.1) } })
        #expect(said.count > 20)
        let declared = (ScriptWords.ofEachPage + ScriptWords.ofSomePages).map {
            $0.string(in: .en)
        }
        #expect(Set(declared).count == declared.count)
        #expect(said.subtracting(declared).isEmpty)
        // Kinds of games are in an object.
        for text in declared where !said.contains(text) {
            #expect(scripts["suggestions.js"]?.contains(": \"\(text)\"") == true, "\(text)")
        }
    }

    @Test("of each page are in the scripts that each page has")
    func pages() {
        let others = ["editor.js", "passkeys.js", "import.js"]
        let common = scripts.filter { !others.contains($0.key) }.values.joined()
        for words in ScriptWords.ofEachPage {
            #expect(common.contains("\"\(words.string(in: .en))\""))
        }
    }
}
