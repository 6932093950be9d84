import Monitoring
import Testing

@Suite("A throttle")
struct ThrottleTests {
    @Test("admits some in each second, and tells how many it left out")
    func admits() {
        var throttle = Throttle(limit: 2)
        #expect((0..<5).map { _ in throttle.admit(at: 7) } == [0, 0, nil, nil, nil])
        #expect((0..<3).map { _ in throttle.admit(at: 8) } == [3, 0, nil])
        #expect(throttle.admit(at: 100) == 1)
    }
}
