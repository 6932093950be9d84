import Foundation
import HTTP
import JSON
import Languages
import Testing

@testable import Endpoints

@Suite("The reader of a JSON object")
struct JSONObjectReaderTests {
    private func reader(_ text: String) throws -> JSONObjectReader {
        JSONObjectReader(try JSONParser.parse(Array(text.utf8)))
    }

    private func errors(_ reader: inout JSONObjectReader) -> [String] {
        do {
            try reader.finish()
            return []
        } catch {
            #expect(error.status == .unprocessableContent)
            return error.errors.map { "\($0.pointer) \($0.detail.string(in: .en))" }
        }
    }

    private struct X: RequestBody {
        let x: Int

        init?(from reader: inout JSONObjectReader) {
            guard let x = reader.required("x", .number(1...5), "A number.") else { return nil }
            self.x = x
        }
    }

    @Test("describes what it reads")
    func description() {
        let members = JSONObjectReader.members { reader in
            _ = reader.required("a", .number(1...5), "How much.")
            _ = reader.nullable("b", .number(0...1), "How many.")
            _ = reader.objects("c", of: X.self, atMost: 3, "All of them.")
        }
        let schema = Schema.object(nil, "An object.", members, isClosed: true)
        #expect(
            schema.keywords == [
                "type": "object", "description": "An object.", "additionalProperties": false,
                "required": ["a", "c"],
                "properties": [
                    "a": [
                        "type": "integer", "minimum": 1, "maximum": 5,
                        "description": "How much.",
                    ],
                    "b": [
                        "type": ["integer", "null"], "minimum": 0, "maximum": 1,
                        "description": "How many.",
                    ],
                    "c": [
                        "type": "array", "maxItems": 3, "description": "All of them.",
                        "items": [
                            "type": "object", "additionalProperties": false, "required": ["x"],
                            "properties": [
                                "x": [
                                    "type": "integer", "minimum": 1, "maximum": 5,
                                    "description": "A number.",
                                ]
                            ],
                        ],
                    ],
                ],
            ])
        #expect(schema.example == ["a": 1, "b": 0, "c": [["x": 1]]])
    }

    @Test("reads what is right")
    func values() throws {
        var reader = try reader(#"{"a": 5, "b": "text", "d": 1, "e": [{"x": 1}, {"x": 2}]}"#)
        #expect(reader.required("a", .number(1...5)) == 5)
        #expect(reader.optional("b", .anyText) == "text")
        #expect(reader.optional("c", .anyText) == nil)
        #expect(reader.optional("d", .number(0...1)) == 1)
        #expect(reader.objects("e", of: X.self, atMost: 2, "").map(\.x) == [1, 2])
        #expect(errors(&reader) == [])
    }

    @Test("tells everything that is wrong at once")
    func everything() throws {
        var reader = try reader(
            #"{"low": 0, "text": 7, "list": [{"x": "a"}, 5, {"x": 1, "y": 2}, {}], "more": 1}"#)
        #expect(reader.required("low", .number(1...5)) == nil)
        #expect(reader.required("gone", .number(1...5)) == nil)
        #expect(reader.optional("text", .anyText) == nil)
        #expect(reader.objects("list", of: X.self, atMost: 5, "").map(\.x) == [1])
        #expect(
            errors(&reader) == [
                "/low This must be from 1 to 5.",
                "/gone This is missing.",
                "/text This must be a string, not a number.",
                "/list/0/x This must be a whole number, not a string.",
                "/list/1 This must be an object, not a number.",
                "/list/2/y This is not known here.",
                "/list/3/x This is missing.",
                "/more This is not known here.",
            ])
    }

    @Test(
        "wants an object",
        arguments: [
            ("[]", "an array"), ("null", "null"), ("1", "a number"), ("\"a\"", "a string"),
            ("true", "a boolean"), ("1.5", "a number"),
        ])
    func noObject(text: String, kind: String) throws {
        var reader = try reader(text)
        #expect(reader.required("a", .number(1...5)) == nil)
        #expect(reader.objects("b", of: X.self, atMost: 2, "").isEmpty)
        #expect(errors(&reader) == [" This must be an object, not \(kind)."])
    }

    @Test(
        "takes no other type for a whole number",
        arguments: [
            ("null", ", not null"), ("1.5", ""), ("1e400", "?"), ("99999999999999999999", ""),
            ("true", ", not a boolean"), ("\"1\"", ", not a string"), ("[1]", ", not an array"),
            ("{}", ", not an object"),
        ])
    func noNumber(value: String, kind: String) throws {
        guard var reader = try? reader(#"{"a": \#(value)}"#) else {
            // A number beyond Double's range is refused before.
            #expect(kind == "?")
            return
        }
        #expect(reader.required("a", .number(1...5)) == nil)
        #expect(errors(&reader) == ["/a This must be a whole number\(kind)."])
    }

    @Test("takes a whole number however it is written", arguments: ["3", "3.0", "0.3e1", "30e-1"])
    func wholeNumber(value: String) throws {
        var reader = try reader(#"{"a": \#(value)}"#)
        #expect(reader.required("a", .number(1...5)) == 3)
    }

    @Test("does not take null for what may be left out")
    func null() throws {
        var reader = try reader(#"{"a": null, "b": null}"#)
        #expect(reader.optional("a", .number(1...5)) == nil)
        #expect(reader.optional("b", .anyText) == nil)
        #expect(
            errors(&reader) == [
                "/a This must not be null; leave it out instead.",
                "/b This must not be null; leave it out instead.",
            ])
    }

    @Test("wants an array of at most so many objects")
    func arrays() throws {
        var first = try reader(#"{"a": {}, "b": [{}, {}, {}], "d": null}"#)
        #expect(first.objects("a", of: X.self, atMost: 2, "").isEmpty)
        #expect(first.objects("b", of: X.self, atMost: 2, "").isEmpty)
        #expect(first.objects("c", of: X.self, atMost: 2, "").isEmpty)
        #expect(first.objects("d", of: X.self, atMost: 2, "").isEmpty)
        #expect(
            errors(&first) == [
                "/a This must be an array, not an object.",
                "/b This must have at most 2 elements; this has 3.",
                "/c This is missing.",
                "/d This must be an array, not null.",
            ])
    }

    @Test("takes numbers that are texts, and what it does not know, where it is asked to")
    func lenient() throws {
        var reader = try reader(#"{"a": "5", "b": 5, "c": "6", "d": "05", "e": "", "x": 1}"#)
        #expect(reader.required("a", .numberOrText(1...5)) == 5)
        #expect(reader.required("b", .numberOrText(1...5)) == 5)
        #expect(throws: Never.self) { try reader.finish(ignoringUnknown: true) }
        for name in ["c", "d", "e", "f"] {
            #expect(reader.required(name, .numberOrText(1...5)) == nil)
        }
        #expect(throws: Problem.self) { try reader.finish(ignoringUnknown: true) }
        #expect(
            errors(&reader) == [
                "/c This must be from 1 to 5.", "/d This must be a whole number, not a string.",
                "/e This must be a whole number, not a string.", "/f This is missing.",
                "/x This is not known here.",
            ])
    }

    @Test("escapes names in pointers as RFC 6901 says, and cuts endless ones")
    func pointers() throws {
        var first = try reader(#"{"a/b~c": 1}"#)
        #expect(errors(&first) == ["/a~1b~0c This is not known here."])
        var second = try reader("{\"\(String(repeating: "x", count: 5000))\": 1}")
        #expect(
            errors(&second) == [
                "/" + String(repeating: "x", count: 64) + " This is not known here."
            ])
    }

    @Test("tells no more errors than anybody reads")
    func bound() throws {
        let members = (0..<200).map { #""m\#($0)": 1"# }.joined(separator: ",")
        var many = try reader("{\(members)}")
        #expect(errors(&many).count == 50)
        let elements = Array(repeating: "{\(members)}", count: 5).joined(separator: ",")
        var nested = try reader(#"{"a": [\#(elements)], "b": 1}"#)
        #expect(nested.objects("a", of: X.self, atMost: 5, "").isEmpty)
        #expect(errors(&nested).count == 50)
    }

    @Test("reads a form's fields as values of the same types")
    func form() throws {
        func read(_ text: String) throws -> JSONObjectReader {
            JSONObjectReader(try FormItems(parsing: text))
        }
        let names = BodyMember<[String]>.texts(.array(of: .text(example: "x")), atMost: 2)
        var right = try read("n=3&t=&a=x&a=y&b=no&b=yes&c=no&o=&token=x")
        #expect(right.required("n", .number(1...5)) == 3)
        #expect(right.required("t", .anyText) == "")
        #expect(right.required("a", names) == ["x", "y"])
        #expect(right.required("b", .boolean(example: true)) == true)
        #expect(right.required("c", .boolean(example: true)) == false)
        #expect(right.nullable("o", .number(1...5)) == .some(nil))
        #expect(right.optional("m", .number(1...5)) == nil)
        #expect(throws: Never.self) { try right.finish(ignoringUnknown: true) }

        var wrong = try read("n=x&m=&t=1&t=2&b=true&e=7")
        _ = wrong.required("n", .number(1...5))
        _ = wrong.optional("m", .number(1...5))
        _ = wrong.required("t", .anyText)
        _ = wrong.optional("b", .boolean(example: true))
        _ = wrong.required("e", .number(1...5))
        _ = wrong.required("u", .anyText)
        _ = wrong.required("a", names)
        #expect(
            errors(&wrong) == [
                "/n This must be a whole number.", "/m This must be a whole number.",
                "/t This must be there only once.", "/b This must be yes or no.",
                "/e This must be from 1 to 5.",
                "/u This is missing.", "/a Choose one.",
            ])
    }

    @Test("lists unknown members in a fixed order")
    func order() throws {
        var reader = try reader(#"{"c": 1, "a": 2, "b": 3}"#)
        #expect(errors(&reader).map { $0.prefix(2) } == ["/a", "/b", "/c"])
    }
}

extension BodyMember where Value == Int {
    fileprivate static func number(_ range: ClosedRange<Int>) -> Self {
        .integer(range, example: range.lowerBound)
    }

    fileprivate static func numberOrText(_ range: ClosedRange<Int>) -> Self {
        .integerOrText(.integer(range, example: range.lowerBound), in: range)
    }
}

extension BodyMember where Value == String {
    fileprivate static var anyText: Self { .text(.text(example: "text")) }
}
