import Foundation
import Sockets
import TestSupport
import Testing

@testable import IGDB

@Suite("The pacer", .blocking, .timeLimit(.minutes(5)))
struct PacerTests {
    /// Of a test's loop; only touched there.
    private static func pacer(
        on loop: EventLoop, rate: Int = 4, milliseconds: Int = 200, open: Int = 8, queue: Int = 200
    ) -> Pacer {
        Pacer(
            on: loop, rate: rate, period: .milliseconds(milliseconds), maximumOpen: open,
            queueLimit: queue)
    }

    /// Gives up a loop's thread for a while, not just a turn.
    private static func pause(on loop: EventLoop, milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            loop.schedule(after: .milliseconds(milliseconds)) { continuation.resume() }
        }
    }

    /// Asks for a turn in a task of its own, and records when it came.
    private static func ask(
        _ pacer: Pacer, _ loop: EventLoop, _ number: Int, _ turns: Recorder<(Int, MonotonicTime)>,
        holding milliseconds: Int? = nil, for asker: IGDBAsker = .unknown
    ) -> Task<IGDBError.Code?, Never> {
        Task(executorPreference: loop) {
            do throws(IGDBError) {
                try await pacer.run(for: asker) { () throws(IGDBError) in
                    turns.record((number, MonotonicTime.read()))
                    if let milliseconds { await pause(on: loop, milliseconds: milliseconds) }
                }
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test("starts no more than the rate in any period, in the order in which they came")
    func rate() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop)
            let began = MonotonicTime.read()
            let tasks = try await onLoop(loop) {
                (0..<14).map { Self.ask(pacer, loop, $0, turns) }
            }
            for task in tasks { #expect(try await value(of: task) == nil) }
            #expect(turns.elements.map(\.0) == Array(0..<14))
            let times = turns.elements.map(\.1)
            // On a busy machine a turn is recorded later than it began, but never earlier.
            for (index, time) in times.enumerated() {
                #expect(time - began >= .milliseconds(index / 4 * 200 - 10))
            }
            #expect(times[13] - began >= .milliseconds(600))
            #expect(times[13] - began < .seconds(10))
        }
    }

    @Test("counts a request from when it has arrived, as far as that can be told")
    func slowFirst() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 1)
            let began = MonotonicTime.read()
            let tasks = try await onLoop(loop) {
                [
                    Self.ask(pacer, loop, 0, turns, holding: 100),
                    Self.ask(pacer, loop, 1, turns),
                ]
            }
            for task in tasks { #expect(try await value(of: task) == nil) }
            #expect(turns.elements[1].1 - began >= .milliseconds(290))
        }
    }

    @Test("has no more open than allowed")
    func open() async throws {
        try await withLoop { loop in
            // One for each that begins, and minus one for each that ends.
            let steps = Recorder<Int>()
            let pacer = Self.pacer(on: loop, rate: 100, milliseconds: 1, open: 3)
            try await onLoop(loop) {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<9 {
                        group.addTask(executorPreference: loop) {
                            try await pacer.run(for: .unknown) { () throws(IGDBError) in
                                steps.record(1)
                                await Self.pause(on: loop, milliseconds: 20)
                                steps.record(-1)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            var open = 0
            let most = steps.elements.map { step in
                open += step
                return open
            }.max()
            #expect(most == 3)
            #expect(open == 0)
        }
    }

    @Test("drops who is cancelled while waiting, without a turn lost")
    func cancelled() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 1)
            let tasks = try await onLoop(loop) {
                (0..<6).map { Self.ask(pacer, loop, $0, turns) }
            }
            for index in 1...4 { tasks[index].cancel() }
            for index in 1...4 { #expect(try await value(of: tasks[index]) == .cancelled) }
            #expect(try await value(of: tasks[0]) == nil)
            #expect(try await value(of: tasks[5]) == nil)
            #expect(turns.elements.map(\.0) == [0, 5])
        }
    }

    @Test("gives no turn to who was cancelled before")
    func cancelledBefore() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop)
            let task = try await onLoop(loop) {
                let task = Self.ask(pacer, loop, 0, turns)
                task.cancel()
                return task
            }
            #expect(try await value(of: task) == .cancelled)
            #expect(turns.count == 0)
        }
    }

    @Test("refuses who comes when the queue is full, and takes others later")
    func full() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 1, queue: 2)
            let tasks = try await onLoop(loop) {
                (0..<5).map { Self.ask(pacer, loop, $0, turns) }
            }
            var outcomes: [IGDBError.Code?] = []
            for task in tasks { outcomes.append(try await value(of: task)) }
            #expect(outcomes == [nil, nil, nil, .queueFull, .queueFull])
            let later = try await onLoop(loop) { Self.ask(pacer, loop, 9, turns) }
            #expect(try await value(of: later) == nil)
            #expect(turns.elements.map(\.0) == [0, 1, 2, 9])
        }
    }

    @Test("starts what an asker with little asks before all that another one does")
    func fair() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 1)
            let (greedy, modest) = (IGDBAsker.address("192.0.2.1"), IGDBAsker.address("192.0.2.2"))
            let tasks = try await onLoop(loop) {
                (0..<5).map { Self.ask(pacer, loop, $0, turns, for: greedy) }
                    + [Self.ask(pacer, loop, 9, turns, for: modest)]
                    + [Self.ask(pacer, loop, 10, turns, for: .user(UUID()))]
            }
            for task in tasks { #expect(try await value(of: task) == nil) }
            // The first one began before the others came.
            #expect(turns.elements.map(\.0) == [0, 10, 1, 9, 2, 3, 4])
        }
    }

    @Test("refuses what is beyond an asker's share, and takes what others ask")
    func share() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Pacer(on: loop, rate: 1, period: .milliseconds(100), share: 2)
            let greedy = IGDBAsker.address("192.0.2.1")
            let tasks = try await onLoop(loop) {
                (0..<5).map { Self.ask(pacer, loop, $0, turns, for: greedy) }
                    + [Self.ask(pacer, loop, 9, turns, for: .address("192.0.2.2"))]
            }
            var outcomes: [IGDBError.Code?] = []
            for task in tasks { outcomes.append(try await value(of: task)) }
            #expect(outcomes == [nil, nil, nil, .queueFull, .queueFull, nil])
            #expect(turns.elements.map(\.0) == [0, 1, 9, 2])
        }
    }

    @Test("gives a turn back also when what had it failed")
    func failing() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 100, milliseconds: 1, open: 1)
            let outcome = try await onLoop(loop) {
                do throws(IGDBError) {
                    try await pacer.run(for: .unknown) { () throws(IGDBError) in
                        throw IGDBError(.badAnswer)
                    }
                    return IGDBError.Code?.none
                } catch {
                    return error.code
                }
            }
            #expect(outcome == .badAnswer)
            let next = try await onLoop(loop) { Self.ask(pacer, loop, 1, turns) }
            #expect(try await value(of: next) == nil)
        }
    }

    @Test("starts nothing during a pause, which a shorter one does not end")
    func pause() async throws {
        try await withLoop { loop in
            let turns = Recorder<(Int, MonotonicTime)>()
            let pacer = Self.pacer(on: loop, rate: 100, milliseconds: 1)
            let began = MonotonicTime.read()
            let tasks = try await onLoop(loop) {
                await pacer.pause(for: .milliseconds(300))
                await pacer.pause(for: .milliseconds(20))
                return (0..<3).map { Self.ask(pacer, loop, $0, turns) }
            }
            for task in tasks { #expect(try await value(of: task) == nil) }
            #expect(turns.elements.map(\.0) == [0, 1, 2])
            #expect(turns.elements[0].1 - began >= .milliseconds(290))
        }
    }
}
