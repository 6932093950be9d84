import Foundation
import JSON
import Testing

@testable import Endpoints

@Suite("The JSON parser")
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    private func error(_ bytes: [UInt8]) -> JSONSyntaxError? {
        do {
            _ = try JSONParser.parse(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("reads every kind of value, with white space around")
    func values() throws {
        #expect(try parse("null") == .null)
        #expect(try parse(" true\n") == .bool(true))
        #expect(try parse("\t\r\nfalse ") == .bool(false))
        #expect(try parse("\"\"") == .string(""))
        #expect(try parse("[ ]") == .array([]))
        #expect(try parse("{ }") == .object([:]))
        #expect(
            try parse(#" { "a" : [ 1 , { "b" : null } , "c" ] , "" : -2.5e1 } "#)
                == .object([
                    "a": .array([.int(1), .object(["b": .null]), .string("c")]),
                    "": .double(-25),
                ]))
    }

    @Test(
        "reads whole numbers as such, and others as they are",
        arguments: [
            ("0", .int(0)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("9223372036854775808", .double(0x1p63)),
            ("0.5", .double(0.5)), ("1E2", .double(100)), ("1e+2", .double(100)),
            ("1e-2", .double(0.01)), ("-1.0", .double(-1)),
        ] as [(String, JSONValue)])
    func numbers(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "reads escapes",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
            (#""\ud83c\udfae""#, "🎮"), (#""\uD800\uDC00\uDBFF\uDFFF""#, "\u{10000}\u{10FFFF}"),
            (#""\u0000""#, "\0"), (#""\\u0041""#, "\\u0041"),
            ("\"\u{7F}é🎮\u{2028}\"", "\u{7F}é🎮\u{2028}"),
        ])
    func escapes(text: String, value: String) throws {
        guard case .string(let read) = try parse(text) else {
            Issue.record("no string")
            return
        }
        #expect(Array(read.unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test(
        "refuses what is not JSON, and says where",
        arguments: [
            ("", 0), (" ", 1), ("nul", 0), ("True", 0), ("+1", 0), (".5", 0), ("-", 1), ("1.", 2),
            ("1e", 2), ("1e+", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1", 2),
            ("{\"a\"}", 4),
            ("{\"a\":}", 5), ("{a:1}", 1), ("{\"a\":1,}", 7), ("{,}", 1), ("1 2", 2), ("{}}", 2),
            ("'a'", 0), ("\"a", 2), ("\"a\nb\"", 2), ("\u{FEFF}{}", 0), ("// x", 0), ("\0", 0),
            ("NaN", 0), ("Infinity", 0), ("[1\u{A0}]", 2),
        ])
    func malformed(text: String, offset: Int) {
        #expect(error(Array(text.utf8))?.offset == offset, "\(text)")
    }

    @Test(
        "refuses numbers and escapes that are none",
        arguments: [
            "01", "-01", "00", "1e400", "-1e400", #""\x""#, #""\u12""#, #""\u12g4""#, #""\u+123""#,
            #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\ud800\"#, #""\"#,
            #""\ud800\ud800""#, #""\u"#,
        ])
    func badScalars(text: String) {
        #expect(error(Array(text.utf8)) != nil)
    }

    @Test("refuses a repeated member, however it is written")
    func duplicates() {
        #expect(error(Array(#"{"a": 1, "b": 2, "a": 1}"#.utf8))?.reason == "duplicate member name")
        #expect(error(Array(#"{"a": 1, "\u0061": 1}"#.utf8))?.reason == "duplicate member name")
    }

    @Test("refuses what is not UTF-8, anywhere")
    func encoding() {
        for bytes in [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]
            as [[UInt8]]
        {
            #expect(error([0x22] + bytes + [0x22])?.reason == "the text is not UTF-8")
            #expect(error(bytes + [0x31]) != nil)
        }
        #expect(error(Array("{}".utf16).flatMap { [UInt8($0), 0] }) != nil)
    }

    @Test("reads sixteen structures in each other and no more")
    func depth() throws {
        func nest(_ open: String, _ close: String, _ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            _ = try parse(nest(open, close, 16))
            #expect(error(Array(nest(open, close, 17).utf8))?.reason.contains("nested") == true)
            #expect(error(Array(String(repeating: open, count: 30_000).utf8)) != nil)
        }
    }

    @Test("agrees with Foundation about what Foundation writes")
    func foundation() throws {
        let object: [String: Any] = [
            "text": "quote \" slash / line \n é 🎮 \u{1}", "list": [1, -5, 1.5, true, NSNull()],
            "deep": ["a": ["b": [[[String: Int]()]]]],
        ]
        let value = try JSONParser.parse(
            Array(JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)))
        #expect(
            value
                == .object([
                    "text": .string("quote \" slash / line \n é 🎮 \u{1}"),
                    "list": .array([.int(1), .int(-5), .double(1.5), .bool(true), .null]),
                    "deep": .object([
                        "a": .object(["b": .array([.array([.object([:])])])])
                    ]),
                ]))
    }

    @Test("survives every beginning and every changed byte of a document")
    func damage() throws {
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9\ud83c\udfae\n"],"b":{"c":true,"d":null}}"#.utf8)
        #expect(error(text) == nil)
        for length in 0..<text.count {
            #expect(error(Array(text[..<length])) != nil, "\(length)")
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                if let error = error(changed) { #expect((0...text.count).contains(error.offset)) }
            }
        }
    }
}
