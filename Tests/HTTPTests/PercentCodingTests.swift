import Testing

@testable import HTTP

@Suite("Percent-encoding")
struct PercentCodingTests {
    @Test(
        "escapes in a query value all but letters, digits and four marks",
        arguments: [
            ("", ""), ("abc-._~", "abc-._~"), ("a&b=c+d e~", "a%26b%3Dc%2Bd%20e~"),
            ("100%", "100%25"), ("é", "%C3%A9"),
        ])
    func queryValues(text: String, encoded: String) {
        #expect(PercentCoding.encodeQueryValue(text) == encoded)
    }

    @Test("is undone by decoding a segment", arguments: ["a b", "é€😀", "?#[]@!$&'()*+,;=%"])
    func roundTrip(text: String) throws {
        #expect(try PercentCoding.decodeSegment(PercentCoding.encodeQueryValue(text)) == text)
    }

    @Test("of a query value is undone by parsing a form", arguments: ["a b+c&d=e", "é\n%\"<"])
    func formRoundTrip(text: String) throws {
        let query = "x=" + PercentCoding.encodeQueryValue(text)
        #expect(try FormItems(parsing: query)["x"] == text)
    }
}
