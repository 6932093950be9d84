import Testing

@testable import Web

@Suite("The writer of XML")
struct XMLWriterTests {
    @Test("writes elements in each other, with attributes")
    func elements() {
        var xml = XMLWriter()
        xml.element("a", ["x": "1", "y": "<\"&'>"]) { xml in
            xml.element("b", text: "1 < 2 & 3 > 2")
            xml.emptyElement("c", ["d": "\n"])
        }
        #expect(
            String(decoding: xml.bytes, as: UTF8.self) == """
                <?xml version="1.0" encoding="utf-8"?><a x="1" y="&lt;&quot;&amp;'&gt;">\
                <b>1 &lt; 2 &amp; 3 &gt; 2</b><c d="&#10;"/></a>
                """)
    }

    @Test("writes what a parser reads again", arguments: ["a", "ß", "語", "👾", "\u{85}", "\u{7F}"])
    func characters(text: String) throws {
        #expect(try written(text) == text)
        let marked = "\"\u{301}<\u{301}\(text)]]>\t\r\n "
        #expect(try written(marked) == marked)
    }

    @Test("leaves out every character that XML cannot hold, and no other")
    func forbidden() throws {
        for value in UInt32(0)...0x1_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // XML 1.0, production 2.
            let isCharacter =
                [0x9, 0xA, 0xD].contains(value) || (0x20...0xD7FF).contains(value)
                || (0xE000...0xFFFD).contains(value) || value >= 0x10000
            guard value < 0x20 || !isCharacter || value % 997 == 0 else { continue }
            let text = try written("(\(Character(scalar)))")
            let expected = isCharacter ? "(\(Character(scalar)))" : "()"
            #expect(Array(text.utf8) == Array(expected.utf8), "U+\(String(value, radix: 16))")
        }
    }

    /// What comes back of a text and of an attribute.
    private func written(_ text: String) throws -> String {
        var xml = XMLWriter()
        xml.element("a", ["x": text]) { $0.element("b", text: text) }
        let root = try XMLTree.parse(xml.bytes)
        #expect(root.attributes["x"].map { Array($0.utf8) } == root["b"].map { Array($0.utf8) })
        return root["b"] ?? ""
    }
}
