import Testing

@testable import HTTP

@Suite("Percent-encoding")
struct PercentCodingTests {
    @Test(
        "escapes in a segment what could be taken otherwise",
        arguments: [
            ("", ""), ("abc-._~", "abc-._~"), ("@rob:1", "@rob:1"), ("a/b", "a%2Fb"),
            ("a?b#c", "a%3Fb%23c"), ("100%", "100%25"), ("é", "%C3%A9"), ("a b", "a%20b"),
        ])
    func segments(text: String, encoded: String) {
        #expect(PercentCoding.encodeSegment(text) == encoded)
    }

    @Test("escapes in a query value all but letters, digits and four marks")
    func queryValues() {
        #expect(PercentCoding.encodeQueryValue("a&b=c+d e~") == "a%26b%3Dc%2Bd%20e~")
    }

    @Test("of a segment is undone by decoding", arguments: ["a b", "é€😀", "?#[]@!$&'()*+,;=%"])
    func roundTrip(text: String) throws {
        #expect(try PercentCoding.decodeSegment(PercentCoding.encodeSegment(text)) == text)
    }

    @Test("of a query value is undone by parsing a form", arguments: ["a b+c&d=e", "é\n%\"<"])
    func formRoundTrip(text: String) throws {
        let query = "x=" + PercentCoding.encodeQueryValue(text)
        #expect(try FormItems(parsing: query)["x"] == text)
    }
}
