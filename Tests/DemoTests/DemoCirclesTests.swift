import Testing

@testable import Demo

@Suite("Demo circles")
struct DemoCirclesTests {
    /// Lists of up to five of two hundred games.
    private static func lists(_ count: Int) -> [Set<Int>] {
        var random = SeededGenerator(seed: 7, stream: 0)
        return (0..<count).map { _ in Set((0..<5).map { _ in random.below(200) }) }
    }

    @Test("are two public ones and one for members only, the same for the same seed")
    func circles() {
        let lists = Self.lists(300)
        let circles = DemoCircle.circles(seed: 1, lists: lists)
        #expect(circles == DemoCircle.circles(seed: 1, lists: lists))
        #expect(circles != DemoCircle.circles(seed: 2, lists: lists))
        #expect(circles.map(\.isPublic) == [true, true, false])
        for circle in circles {
            #expect(Set(circle.members).count == circle.members.count)
            #expect((3...100).contains(circle.members.count))
            #expect(circle.members.allSatisfy { (0..<300).contains($0) })
            // Friends have more games in common than the first people have by chance.
            func games(_ people: some Sequence<Int>) -> Int {
                Set(people.flatMap { lists[$0] }).count
            }
            #expect(games(circle.members) < games(0..<circle.members.count))
        }
    }

    @Test("have no more members than there are people")
    func few() {
        #expect(DemoCircle.circles(seed: 1, lists: Self.lists(2)).isEmpty)
        for circle in DemoCircle.circles(seed: 1, lists: Self.lists(3)) {
            #expect(circle.members.sorted() == [0, 1, 2])
        }
    }
}
