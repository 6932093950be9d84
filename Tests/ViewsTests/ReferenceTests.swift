import Testing

@testable import Views

@Suite("The API's description")
struct ReferenceTests {
    @Test("is written in what there is of CommonMark")
    func prose() {
        let spans = Prose("A **b** and `c < d`, [e](/f) or [g](javascript:h)").spans
        #expect(
            spans.map(\.plain) == ["A ", nil, " and ", nil, ", ", nil, " or [g](javascript:h)"])
        #expect(spans.compactMap(\.strong) == ["b"])
        #expect(spans.compactMap(\.code) == ["c < d"])
        #expect(spans.compactMap(\.link?.href) == ["/f"])
        #expect(spans.compactMap(\.link?.text) == ["e"])
    }
}
