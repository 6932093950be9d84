import FaveGames
import Testing

@Suite("The end of a circle's address")
struct CircleSlugTests {
    @Test("has words of plain letters and digits with hyphens between them")
    func form() {
        for text in ["club", "thursday-club", "club-2", "7", String(repeating: "x", count: 60)] {
            #expect(CircleSlug(text)?.description == text)
        }
        #expect(CircleSlug("Thursday-CLUB")?.description == "thursday-club")
        for text in [
            "", "-", "a--b", "-a", "a-", "a b", "a_b", "é", "a\n", "a/b",
            String(repeating: "x", count: 61),
        ] { #expect(CircleSlug(text) == nil, "\(text)") }
    }
}
