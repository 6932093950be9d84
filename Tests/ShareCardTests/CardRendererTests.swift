import FaveGames
import Foundation
import TestSupport
import Testing
import Work

@testable import ShareCard

@Suite("The renderer of cards", .blocking)
struct CardRendererTests {
    private func card(_ number: Int) -> ShareCard {
        ShareCard(.of([TestGame(name: "Game \(number)", id: number + 1)]))
    }

    private func withRenderer<Result>(
        threads: Int = 1, queueLimit: Int = 100, cacheCount: Int = 200,
        _ body: (CardRenderer, WorkerPool) async throws -> Result
    ) async throws -> Result {
        let workers = WorkerPool(threads: threads, queueLimit: queueLimit)
        defer { workers.close() }
        return try await body(CardRenderer(on: workers, cacheCount: cacheCount), workers)
    }

    @Test("draws what the card itself draws, on any number of threads", arguments: [1, 4])
    func sameAsAlone(threads: Int) async throws {
        let alone = try (0..<12).map { try card($0).png() }
        try await withRenderer(threads: threads) { renderer, _ in
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask { (number, try await renderer.png(of: card(number))) }
                }
                for try await (number, png) in group { #expect(png == alone[number]) }
            }
        }
    }

    @Test("draws a card once, for all who ask for it at once or later")
    func once() async throws {
        try await withRenderer(threads: 2) { renderer, _ in
            let png = try await renderer.png(of: card(0))
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask { try await renderer.png(of: card(number % 2)) == png }
                }
                let same = try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                #expect(same == 100)
            }
            #expect(renderer.drawnCount == 2)
        }
    }

    @Test("draws again what it did not keep")
    func uncached() async throws {
        try await withRenderer(cacheCount: 0) { renderer, _ in
            for _ in 0..<3 { _ = try await renderer.png(of: card(0)) }
            #expect(renderer.drawnCount == 3)
        }
    }

    @Test("refuses what there is no place for, but not who asks for what waits already")
    func queueBound() async throws {
        // Without threads nothing ends: what has a place keeps it.
        try await withRenderer(threads: 0, queueLimit: 3) { renderer, workers in
            let refused = Recorder<Int>()
            let cancelled = Recorder<Int>()
            func ask(_ number: Int) -> Task<Void, any Error> {
                Task {
                    do {
                        _ = try await renderer.png(of: card(number))
                    } catch is WorkerPool.BusyError {
                        refused.record(number)
                    } catch is CancellationError {
                        cancelled.record(number)
                    }
                }
            }
            var tasks = [ask(0), ask(1), ask(2)]
            try await eventually("three that wait") { workers.waitingCount == 3 }
            try await ask(3).value
            try await ask(4).value
            #expect(refused.elements == [3, 4])
            tasks += [ask(0), ask(1), ask(2)]
            #expect(workers.waitingCount == 3)

            // What nobody waits for any more makes room.
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
            #expect(cancelled.elements.sorted() == [0, 0, 1, 1, 2, 2])
            #expect(workers.waitingCount == 0)
            let next = ask(5)
            try await eventually("another that waits") { workers.waitingCount == 1 }
            next.cancel()
            try await next.value
            #expect(refused.count == 2)
        }
    }

    @Test("lets a client wait for its share only, and others take their turns")
    func shares() async throws {
        let workers = WorkerPool(threads: 1)
        defer { workers.close() }
        let renderer = CardRenderer(on: workers, share: 3)
        let gate = DispatchSemaphore(value: 0)
        let running = Recorder<Bool>()
        let order = Recorder<Int>()
        let refused = Recorder<Int>()
        func ask(_ number: Int, for client: String) -> Task<Void, any Error> {
            Task {
                do {
                    _ = try await renderer.draw(card(number), for: client)
                    order.record(number)
                } catch is CardRenderer.ShareError {
                    refused.record(number)
                }
            }
        }
        let holder = Task {
            try await workers.run(.card, isCancellable: false) {
                running.record(true)
                gate.wait()
            }
        }
        try await eventually("the holder runs") { running.count == 1 }
        var tasks: [Task<Void, any Error>] = []
        for (number, client) in [(0, "greedy"), (1, "greedy"), (2, "greedy"), (9, "modest")] {
            tasks.append(ask(number, for: client))
            try await eventually("a place") { workers.waitingCount == tasks.count }
        }
        tasks += (3..<6).map { ask($0, for: "greedy") }
        // If they wait instead, that is found below.
        try? await eventually("three refusals") { refused.count == 3 }
        #expect(refused.elements.sorted() == [3, 4, 5])
        gate.signal()
        for task in tasks { try await task.value }
        try await holder.value
        #expect(order.elements == [0, 9, 1, 2])
        // What is drawn is nobody's share any more.
        for number in 3..<6 { try await ask(number, for: "greedy").value }
        #expect(refused.count == 3)
    }

    @Test("keeps the place of a card while anybody waits for it")
    func partialCancellation() async throws {
        try await withRenderer(threads: 0) { renderer, workers in
            let first = Task { try await renderer.png(of: card(0)) }
            let second = Task { try await renderer.png(of: card(0)) }
            try await eventually { workers.waitingCount == 1 }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            // The second may come only now, and then has a place of its own.
            try await eventually { workers.waitingCount == 1 }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(workers.waitingCount == 0)
        }
    }

    @Test("does not draw for a task that was cancelled before")
    func cancelledBefore() async throws {
        try await withRenderer { renderer, _ in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await renderer.png(of: card(0))
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(renderer.drawnCount == 0)
        }
    }

    @Test("survives that many change their minds")
    func manyCancelled() async throws {
        try await withRenderer(threads: 2, cacheCount: 1) { renderer, workers in
            let tasks = (0..<60).map { number in
                Task { try await renderer.png(of: card(number % 7)) }
            }
            for (number, task) in tasks.enumerated() where number % 3 > 0 { task.cancel() }
            for task in tasks {
                if case .success(let png) = await task.result { #expect(PNGHead(png) != nil) }
            }
            let png = try await renderer.png(of: card(99))
            #expect(PNGHead(png) != nil)
            #expect(workers.waitingCount == 0)
        }
    }
}
