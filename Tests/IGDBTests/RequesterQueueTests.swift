import Foundation
import Testing

@testable import IGDB

@Suite("The queue of requesters")
struct RequesterQueueTests {
    private static let rob = IGDBRequester.user(UUID())
    private static let ada = IGDBRequester.user(UUID())
    private static let one = IGDBRequester.address("192.0.2.1")
    private static let two = IGDBRequester.address("192.0.2.2")

    private static func queue(
        _ requesters: [IGDBRequester], limit: Int = 100, share: Int = 100
    ) -> RequesterQueue<Int> {
        var queue = RequesterQueue<Int>(limit: limit, share: share)
        for (number, requester) in requesters.enumerated() {
            let hasRoom = queue.append(number, for: requester)
            #expect(hasRoom)
        }
        return queue
    }

    private static func drain(_ queue: RequesterQueue<Int>) -> [Int] {
        var queue = queue
        var elements: [Int] = []
        while let element = queue.popFirst() { elements.append(element) }
        return elements
    }

    @Test("lets requesters take turns")
    func turns() {
        #expect(Self.drain(Self.queue([Self.one, Self.one, Self.one, Self.two])) == [0, 3, 1, 2])
        #expect(Self.drain(Self.queue([Self.rob, Self.rob, Self.ada])) == [0, 2, 1])
    }

    @Test("lets people who are signed in go first, but not for ever")
    func signedInFirst() {
        let requesters = [Self.one, Self.two] + Array(repeating: Self.rob, count: 7)
        #expect(Self.drain(Self.queue(requesters)) == [2, 3, 4, 0, 5, 6, 7, 1, 8])
        var queue = Self.queue(Array(repeating: Self.rob, count: 5))
        for _ in 0..<4 { _ = queue.popFirst() }
        _ = queue.append(9, for: Self.one)
        let next = queue.popFirst()
        #expect(next == 4, "nobody else had waited")
    }

    @Test("has room for a share of each requester's, and for others beside it")
    func bounded() {
        var queue = Self.queue([Self.one, Self.one], limit: 3, share: 2)
        // All who are not signed in have three places together, and all who are as many.
        let requesters = [
            Self.one, Self.two, .address("192.0.2.3"), Self.rob, Self.rob, Self.rob, Self.ada,
        ]
        let haveRoom = requesters.map { queue.append(9, for: $0) }
        #expect(haveRoom == [false, true, false, true, true, false, true])
        #expect(queue.count == 6)
        let removed = queue.remove(of: Self.one) { $0 == 1 }
        #expect(removed == 1)
        let hasRoom = queue.append(9, for: Self.one)
        #expect(hasRoom)
    }

    @Test("does not take those who can't be told apart for one requester with one share")
    func unknown() {
        let queue = Self.queue(Array(repeating: .unknown, count: 5), limit: 5, share: 2)
        #expect(queue.count == 5)
    }
}
