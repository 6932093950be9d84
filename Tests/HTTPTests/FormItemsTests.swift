import Testing

@testable import HTTP

@Suite("Form items")
struct FormItemsTests {
    @Test("keep names and values in order")
    func order() throws {
        let items = try FormItems(parsing: "b=1&a=2&b=3&c&=4&&d=5=6&")
        #expect(items.items.map(\.name) == ["b", "a", "b", "c", "", "d"])
        #expect(items.items.map(\.value) == ["1", "2", "3", "", "4", "5=6"])
        #expect(items["b"] == "1")
        #expect(items.values("b") == ["1", "3"])
        #expect(items["c"] == "")
        #expect(items["z"] == nil)
        #expect(items.values("z").isEmpty)
        #expect(items.names == ["b", "a", "c", "", "d"])
    }

    @Test("are decoded, with plus for space")
    func decoding() throws {
        let items = try FormItems(parsing: Array("na+me=a%2Bb%26c%3D%0D%0A%C3%A9".utf8))
        #expect(items["na me"] == "a+b&c=\r\né")
        #expect(try FormItems(parsing: "").items.isEmpty)
    }

    @Test(
        "are refused when they can't be decoded",
        arguments: [
            ("a=%", .malformedEscape), ("a=%4", .malformedEscape), ("%zz=a", .malformedEscape),
            ("a=%00", .escapedNull), ("a=\u{0}", .escapedNull), ("a=%FF", .invalidUTF8),
            ("%C3=a", .invalidUTF8),
        ] as [(String, RequestError.Code)])
    func refused(text: String, code: RequestError.Code) {
        #expect(throws: RequestError(code)) { try FormItems(parsing: text) }
        #expect(RequestError(code).status.code == 400)
    }

    @Test("are at most 256")
    func count() throws {
        let most = [String](repeating: "a=1", count: 256).joined(separator: "&")
        #expect(try FormItems(parsing: most).values("a").count == 256)
        #expect(throws: RequestError(.tooManyFormItems)) {
            try FormItems(parsing: most + "&a")
        }
    }
}
