import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("A loop that stops", .blocking)
struct EventLoopStopTests {
    @Test("does the work that it has, and what that work makes, and refuses what comes later")
    func finishes() async throws {
        let loop = try EventLoop()
        let recorder = Recorder<String>()
        loop.execute {
            loop.execute { recorder.record("before") }
            loop.stop()
            loop.execute { recorder.record("after") }
            Task(executorPreference: loop) {
                recorder.record("job")
                loop.atEndOfTurn(TurnEnd { loop.execute { recorder.record("last") } })
            }
        }
        try await eventually { loop.hasStopped }
        #expect(recorder.elements == ["job", "before", "after", "last"])
        #expect(loop.execute { recorder.record("too late") } == false)
        loop.stop()
        #expect(recorder.count == 4)
    }

    @Test("may be told so twice, from any thread and from itself")
    func twice() async throws {
        let loop = try EventLoop()
        loop.stop()
        loop.stop()
        loop.execute { loop.stop() }
        try await eventually { loop.hasStopped }
        loop.stop()
    }

    @Test("lets tasks that outlive it end elsewhere")
    func outlived() async throws {
        let loop = try EventLoop()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let begun = Recorder<Int>()
        let waiting = Task(executorPreference: loop) {
            begun.record(1)
            var sum = 0
            for await number in stream { sum += number }
            return sum
        }
        let sleeping = Task(executorPreference: loop) {
            begun.record(1)
            try await Task.sleep(for: .milliseconds(20))
            async let child = 1
            return await child + 1
        }
        try await eventually { begun.count == 2 }
        loop.stop()
        try await eventually { loop.hasStopped }
        for number in 1...10 { continuation.yield(number) }
        continuation.finish()
        #expect(try await value(of: waiting) == 55)
        #expect(try await value(of: sleeping) == 2)
        // One that begins only now.
        #expect(try await value(of: Task(executorPreference: loop) { 3 }) == 3)
    }

    @Test("is freed, with what stood on it")
    func freed() async throws {
        final class Thing {}
        let weakly = try await {
            let loop = try EventLoop()
            let boxes = OnLoop<[WeakBox<Thing>]>([])
            let pipe = try TestPipe()
            try await onLoop(loop) {
                let (first, second) = (Thing(), Thing())
                boxes.value = [WeakBox(first), WeakBox(second)]
                loop.schedule(after: .seconds(3600)) { _ = (first, loop) }
                _ = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in _ = (second, loop) })
            }
            loop.stop()
            return OnLoop((WeakBox(loop), boxes.value))
        }()
        try await eventually {
            weakly.value.0.value == nil && weakly.value.1.allSatisfy { $0.value == nil }
        }
    }

    @Test("closes the streams that only it keeps")
    func openStream() async throws {
        let loop = try EventLoop()
        let (peer, descriptor) = try Peer.pair()
        try await onLoop(loop) {
            _ = try ByteStream(AcceptedSocket(descriptor: descriptor), on: loop, inputLimit: 100)
        }
        loop.stop()
        #expect(try peer.receive() == [])
    }

    @Test("frees handlers, timers and their owners, whatever these do then")
    func reentrantRelease() async throws {
        final class Owner: @unchecked Sendable, ReadinessHandler {
            let loop: EventLoop
            let recorder: Recorder<Int>
            var timer: LoopTimer?
            var registration: DescriptorRegistration?
            init(_ loop: EventLoop, _ recorder: Recorder<Int>) {
                self.loop = loop
                self.recorder = recorder
            }
            deinit {
                timer?.cancel()
                if let registration { loop.cancel(registration) }
                loop.execute {}
                let recorder = recorder
                Task(executorPreference: loop) { recorder.record(1) }
            }
            func descriptorIsReady(_ readiness: Readiness) {}
        }
        let loop = try EventLoop()
        let recorder = Recorder<Int>()
        let pipes = [try TestPipe(), try TestPipe()]
        try await onLoop(loop) {
            for pipe in pipes {
                let owner = Owner(loop, recorder)
                let owned = Owner(loop, recorder)
                owner.timer = loop.schedule(after: .seconds(3600)) { _ = owned }
                owned.timer = loop.schedule(after: .seconds(3600)) {}
                owner.registration = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level, handler: owner)
            }
        }
        loop.stop()
        try await eventually("the tasks that the deinits began") { recorder.count == 4 }
    }

    @Test("runs all that it accepted, however many threads submit while it stops")
    func stress() async throws {
        for round in 0..<2000 {
            let loop = try EventLoop()
            let accepted = Atomic<Int>(0)
            let ran = Atomic<Int>(0)
            let ended = Recorder<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<20 {
                    if thread == 0, number == round % 20 { loop.stop() }
                    let isAccepted = loop.execute {
                        ran.add(1, ordering: .relaxed)
                    }
                    if isAccepted { accepted.add(1, ordering: .relaxed) }
                    if number % 5 == thread {
                        Task(executorPreference: loop) {
                            await Task.yield()
                            ended.record(round)
                        }
                    }
                }
            }
            // Quicker than sleeping; it is a matter of microseconds.
            for _ in 0..<1000 {
                if loop.hasStopped, ended.count == 16 { break }
                sched_yield()
            }
            try await eventually("the end of round \(round)") {
                loop.hasStopped && ended.count == 16
            }
            let counts = (accepted.load(ordering: .relaxed), ran.load(ordering: .relaxed))
            #expect(counts.0 == counts.1)
        }
    }
}
