import Foundation
import Sockets
import TestSupport
import Testing

@testable import IGDB

@Suite("The pacer", .blocking)
struct PacerTests {
    private let clock = TestClock()

    /// Asks a pacer for turns, on a loop whose clock only the test moves.
    private struct Requester: Sendable {
        let loop: EventLoop
        let clock: TestClock
        let pacer: Pacer
        /// The numbers of those whose turns have come.
        let turns = Recorder<Int>()

        /// Asks for a turn in a task of its own.
        ///
        /// - Parameter duration: How long it keeps its turn.
        func ask(
            _ number: Int, holding duration: Duration = .zero,
            for requester: IGDBRequester = .unknown
        ) -> Task<IGDBError.Code?, Never> {
            Task(executorPreference: loop) {
                do throws(IGDBError) {
                    try await pacer.run(for: requester) { () throws(IGDBError) in
                        turns.record(number)
                        if duration > .zero { await loop.sleep(for: duration) }
                    }
                    return nil
                } catch {
                    return error.code
                }
            }
        }

        /// The same for several, in their order.
        func ask(_ numbers: Range<Int>) async throws -> [Task<IGDBError.Code?, Never>] {
            try await asking { numbers.map { ask($0) } }
        }

        /// Waits until all those that `body` begins have asked.
        func asking(
            _ body: @escaping @Sendable () -> [Task<IGDBError.Code?, Never>]
        ) async throws -> [Task<IGDBError.Code?, Never>] {
            let tasks = try await onLoop(loop) { body() }
            await advance(milliseconds: 0)
            return tasks
        }

        func advance(milliseconds: Int) async {
            await clock.advance(by: .milliseconds(milliseconds), on: loop)
        }
    }

    private func withRequester(
        rate: Int = 4, milliseconds: Int = 200, open: Int = 8, queue: Int = 200, share: Int = 100,
        _ body: (Requester) async throws -> Void
    ) async throws {
        try await withLoop(clock) { loop in
            let pacer = Pacer(
                on: loop, rate: rate, period: .milliseconds(milliseconds), maximumOpen: open,
                queueLimit: queue, share: share)
            try await body(Requester(loop: loop, clock: clock, pacer: pacer))
        }
    }

    private func outcomes(
        of tasks: [Task<IGDBError.Code?, Never>]
    ) async throws -> [IGDBError.Code?] {
        var outcomes: [IGDBError.Code?] = []
        for task in tasks { outcomes.append(try await value(of: task)) }
        return outcomes
    }

    @Test("starts no more than the rate in any period, in the order in which they came")
    func rate() async throws {
        try await withRequester { requester in
            let tasks = try await requester.ask(0..<14)
            for count in [4, 8, 12] {
                #expect(requester.turns.count == count)
                await requester.advance(milliseconds: 199)
                #expect(requester.turns.count == count)
                await requester.advance(milliseconds: 1)
            }
            #expect(requester.turns.elements == Array(0..<14))
            #expect(try await outcomes(of: tasks) == tasks.map { _ in nil })
        }
    }

    @Test(
        "counts a request from when it has arrived, as far as that can be told",
        arguments: [(100, 300), (250, 450), (10_000, 450)])
    func slowFirst(milliseconds: Int, next: Int) async throws {
        try await withRequester(rate: 1) { requester in
            let tasks = try await requester.asking {
                [requester.ask(0, holding: .milliseconds(milliseconds)), requester.ask(1)]
            }
            for _ in 0..<next - 1 { await requester.advance(milliseconds: 1) }
            #expect(requester.turns.elements == [0])
            await requester.advance(milliseconds: 1)
            #expect(requester.turns.elements == [0, 1])
            await requester.advance(milliseconds: 10_000)
            #expect(try await outcomes(of: tasks) == [nil, nil])
        }
    }

    @Test("has no more open than allowed")
    func open() async throws {
        try await withRequester(rate: 100, milliseconds: 1, open: 3) { requester in
            let tasks = try await requester.asking {
                (0..<9).map { requester.ask($0, holding: .milliseconds(20)) }
            }
            for count in [3, 6, 9] {
                await requester.advance(milliseconds: 19)
                #expect(requester.turns.count == count)
                await requester.advance(milliseconds: 1)
            }
            #expect(try await outcomes(of: tasks) == tasks.map { _ in nil })
        }
    }

    @Test("drops who is cancelled while waiting, without a turn lost")
    func cancelled() async throws {
        try await withRequester(rate: 1) { requester in
            let tasks = try await requester.ask(0..<6)
            for index in 1...4 { tasks[index].cancel() }
            #expect(
                try await outcomes(of: Array(tasks[1...4]))
                    == Array(repeating: .cancelled, count: 4))
            await requester.advance(milliseconds: 200)
            #expect(requester.turns.elements == [0, 5])
            #expect(try await outcomes(of: [tasks[0], tasks[5]]) == [nil, nil])
        }
    }

    @Test("gives no turn to who was cancelled before")
    func cancelledBefore() async throws {
        try await withRequester { requester in
            let tasks = try await requester.asking {
                let task = requester.ask(0)
                task.cancel()
                return [task]
            }
            #expect(try await outcomes(of: tasks) == [.cancelled])
            #expect(requester.turns.count == 0)
        }
    }

    @Test("refuses who comes when the queue is full, and takes others later")
    func full() async throws {
        try await withRequester(rate: 1, queue: 2) { requester in
            let tasks = try await requester.ask(0..<5)
            for _ in 0..<2 { await requester.advance(milliseconds: 200) }
            #expect(try await outcomes(of: tasks) == [nil, nil, nil, .queueFull, .queueFull])
            let later = try await requester.ask(9..<10)
            await requester.advance(milliseconds: 200)
            #expect(try await outcomes(of: later) == [nil])
            #expect(requester.turns.elements == [0, 1, 2, 9])
        }
    }

    @Test("starts what a requester with little asks before all that another one does")
    func fair() async throws {
        try await withRequester(rate: 1) { requester in
            let (greedy, modest) = (
                IGDBRequester.address("192.0.2.1"), IGDBRequester.address("192.0.2.2")
            )
            let tasks = try await requester.asking {
                (0..<5).map { requester.ask($0, for: greedy) } + [requester.ask(9, for: modest)]
                    + [requester.ask(10, for: .user(UUID()))]
            }
            for _ in 0..<6 { await requester.advance(milliseconds: 200) }
            // The first one began before the others came.
            #expect(requester.turns.elements == [0, 10, 1, 9, 2, 3, 4])
            #expect(try await outcomes(of: tasks) == tasks.map { _ in nil })
        }
    }

    @Test("refuses what is beyond a requester's share, and takes what others ask")
    func share() async throws {
        try await withRequester(rate: 1, share: 2) { requester in
            let (greedy, modest) = (
                IGDBRequester.address("192.0.2.1"), IGDBRequester.address("192.0.2.2")
            )
            let tasks = try await requester.asking {
                (0..<5).map { requester.ask($0, for: greedy) } + [requester.ask(9, for: modest)]
            }
            for _ in 0..<3 { await requester.advance(milliseconds: 200) }
            #expect(try await outcomes(of: tasks) == [nil, nil, nil, .queueFull, .queueFull, nil])
            #expect(requester.turns.elements == [0, 1, 9, 2])
        }
    }

    @Test("gives a turn back also when what had it failed")
    func failing() async throws {
        try await withRequester(rate: 100, milliseconds: 1, open: 1) { requester in
            let outcome = try await onLoop(requester.loop) {
                do throws(IGDBError) {
                    try await requester.pacer.run(for: .unknown) { () throws(IGDBError) in
                        throw IGDBError(.badResponse)
                    }
                    return IGDBError.Code?.none
                } catch {
                    return error.code
                }
            }
            #expect(outcome == .badResponse)
            #expect(try await outcomes(of: requester.ask(1..<2)) == [nil])
        }
    }

    @Test("starts nothing during a pause, which a shorter one does not end")
    func pause() async throws {
        try await withRequester(rate: 100, milliseconds: 1) { requester in
            await requester.pacer.pause(for: .milliseconds(300))
            await requester.pacer.pause(for: .milliseconds(20))
            let tasks = try await requester.ask(0..<3)
            await requester.advance(milliseconds: 299)
            #expect(requester.turns.count == 0)
            await requester.advance(milliseconds: 1)
            #expect(requester.turns.elements == [0, 1, 2])
            #expect(try await outcomes(of: tasks) == [nil, nil, nil])
        }
    }
}
