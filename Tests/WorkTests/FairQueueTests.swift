import Testing
import Work

@Suite("A fair queue")
struct FairQueueTests {
    private static func queue(_ elements: [(String, Int)]) -> FairQueue<String, Int> {
        var queue = FairQueue<String, Int>()
        for (client, element) in elements { queue.append(element, for: client) }
        return queue
    }

    private static func drain(_ queue: FairQueue<String, Int>) -> [Int] {
        var queue = queue
        var elements: [Int] = []
        while let element = queue.popFirst() { elements.append(element) }
        return elements
    }

    @Test("gives each client a turn before anyone has a second one")
    func turns() {
        let queue = Self.queue([("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("c", 6)])
        #expect(queue.count == 6 && queue.count(of: "a") == 3 && queue.count(of: "d") == 0)
        #expect(Self.drain(queue) == [1, 4, 5, 2, 6, 3])
    }

    @Test("puts a client who comes back behind those who wait")
    func again() {
        var queue = Self.queue([("a", 1), ("b", 2)])
        let first = queue.popFirst()
        #expect(first == 1)
        queue.append(3, for: "a")
        #expect(Self.drain(queue) == [2, 3])
    }

    @Test("forgets what is removed, and the turn of a client with nothing left")
    func removal() {
        var queue = Self.queue([("a", 1), ("b", 2), ("b", 3)])
        let removed = [("b", 1), ("b", 2), ("a", 1)].map { client, element in
            queue.remove(of: client) { $0 == element }
        }
        #expect(removed == [nil, 2, 1], "the first is another's")
        #expect(queue.count == 1)
        queue.append(4, for: "a")
        #expect(Self.drain(queue) == [3, 4])
    }
}
