import Testing

@testable import Demo

@Suite("Demo circles")
struct DemoCirclesTests {
    @Test("are two public ones and one for members only, the same for the same seed")
    func circles() {
        let circles = DemoCircle.circles(seed: 1, users: 500)
        #expect(circles == DemoCircle.circles(seed: 1, users: 500))
        #expect(circles != DemoCircle.circles(seed: 2, users: 500))
        #expect(circles.map(\.isPublic) == [true, true, false])
        for circle in circles {
            #expect(Set(circle.members).count == circle.members.count)
            #expect((3...100).contains(circle.members.count))
            #expect(circle.members.allSatisfy { (0..<500).contains($0) })
        }
    }

    @Test("have no more members than there are people")
    func few() {
        #expect(DemoCircle.circles(seed: 1, users: 2).isEmpty)
        for circle in DemoCircle.circles(seed: 1, users: 3) {
            #expect(circle.members.sorted() == [0, 1, 2])
        }
    }
}
