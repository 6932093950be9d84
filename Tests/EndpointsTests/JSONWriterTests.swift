import Encodings
import Foundation
import Testing
import HTTP
import JSON

@testable import Endpoints

@Suite("The JSON writer")
struct JSONWriterTests {
    private func write(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        body(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func parse(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    @Test("puts commas between members and elements, and nowhere else")
    func structure() {
        let text = write { json in
            json.object { json in
                json.member("a", 1)
                json.name("b")
                json.array { json in
                    json.object { _ in }
                    json.array { _ in }
                    json.object { $0.member("c", nil as String?) }
                    json.int(2)
                    json.string("x")
                    json.null()
                }
                json.name("d")
                json.object {
                    $0.name("e"); $0.array([1, 2]) { $0.int($1) }
                }
                json.member("f", "g")
            }
        }
        #expect(text == #"{"a":1,"b":[{},[],{"c":null},2,"x",null],"d":{"e":[1,2]},"f":"g"}"#)
    }

    @Test("writes every whole number")
    func numbers() throws {
        let numbers = [0, 1, 9, 10, 99, 100, 1_234_567_890, .max, -1, -10, .min]
        for number in numbers {
            #expect(write { $0.int(number) } == String(number))
        }
        #expect(write { $0.object { $0.member("n", nil as Int?) } } == #"{"n":null}"#)
    }

    @Test("has UUIDs in lower case")
    func uuids() throws {
        for digits in ["01234567-89ab-cdef-fedc-ba9876543210", UUID().uuidString] {
            let uuid = try #require(UUID(uuidString: digits))
            #expect(uuid.text == uuid.uuidString.lowercased())
        }
    }

    @Test("escapes every control character, quotes and backslashes, and nothing else of ASCII")
    func ascii() throws {
        for code in UInt8(0)...127 {
            let text = "a" + String(Unicode.Scalar(code)) + "b"
            let written = write { $0.string(text) }
            #expect(try parse(written) as? String == text, "\(code)")
            let isEscaped = written.utf8.contains(UInt8(ascii: "\\"))
            #expect(isEscaped == (code < 0x20 || code == 0x22 || code == 0x5C), "\(code)")
            #expect(written.utf8.allSatisfy { $0 >= 0x20 })
        }
        #expect(write { $0.string("\n\r\t\"\\\u{1}\u{1F}") } == #""\n\r\t\"\\\u0001\u001f""#)
    }

    @Test("escapes a byte at any place of a text")
    func places() throws {
        for count in 1...20 {
            for place in 0..<count {
                for byte: Character in ["\"", "\\", "\n"] {
                    var text = Array(repeating: Character("x"), count: count)
                    text[place] = byte
                    #expect(try parse(write { $0.string(String(text)) }) as? String == String(text))
                }
            }
        }
    }

    @Test(
        "writes any text so that it is read as the same",
        arguments: [
            "", "\"", "\\", "\\\"", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "\u{2028}\u{2029}",
            "\"\u{301}", "\r\n", "</script>", "a\u{FEFF}", "\u{10FFFF}", "שלום \u{202E}x", "\0",
            String(repeating: "\"\\\n", count: 1000), String(repeating: "🎮", count: 5000),
        ])
    func texts(text: String) throws {
        let written = write { $0.string(text) }
        let read = try #require(try parse(written) as? String)
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("writes a text that Foundation made")
    func bridged() throws {
        let text = NSString(string: "quote \" and é").appending(" \u{1}")
        #expect(try parse(write { $0.string(text) }) as? String == "quote \" and é \u{1}")
    }

    @Test("writes deep nesting")
    func depth() throws {
        func nest(_ json: inout JSONWriter, _ depth: Int) {
            json.array { json in
                json.int(depth)
                if depth > 0 { nest(&json, depth - 1) }
                json.int(-depth)
            }
        }
        let text = write { nest(&$0, 100) }
        var value = try parse(text) as? [Any]
        for depth in (1...100).reversed() {
            #expect(value?.count == 3)
            #expect(value?.first as? Int == depth)
            #expect(value?.last as? Int == -depth)
            value = value?[1] as? [Any]
        }
        #expect(value?.count == 2)
    }

    @Test("writes times in UTC to the second")
    func times() {
        #expect(
            Date(timeIntervalSince1970: 1_709_210_096.999).rfc3339 == "2024-02-29T12:34:56Z")
        #expect(Date(timeIntervalSince1970: 0).rfc3339 == "1970-01-01T00:00:00Z")
        #expect(
            Date(timeIntervalSince1970: 4_102_444_799).rfc3339 == "2099-12-31T23:59:59Z")
    }
}
