import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("Timers", .blocking)
struct EventLoopTimerTests {
    private let clock = TestClock()

    @Test("fire once each, in the order of their times, and of their making where times are equal")
    func order() async throws {
        try await withLoop(clock) { loop in
            let recorder = Recorder<Int>()
            try await onLoop(loop) {
                for (number, delay) in [30, 10, 20, 10, 0, 20].enumerated() {
                    loop.schedule(after: .milliseconds(delay)) { recorder.record(number) }
                }
            }
            await clock.advance(by: .milliseconds(30), on: loop)
            #expect(recorder.elements == [4, 1, 3, 2, 5, 0])
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(recorder.count == 6)
        }
    }

    @Test("never fire early, and fire when it is time")
    func early() async throws {
        try await withLoop(clock) { loop in
            let recorder = Recorder<Int>()
            try await onLoop(loop) {
                for delay in 1...20 {
                    loop.schedule(after: .milliseconds(delay)) { recorder.record(delay) }
                }
            }
            for delay in 1...20 {
                await clock.advance(by: .nanoseconds(999_999), on: loop)
                #expect(recorder.count == delay - 1)
                await clock.advance(by: .nanoseconds(1), on: loop)
                #expect(recorder.count == delay)
            }
        }
    }

    @Test("do not fire once cancelled, by anyone, at any time before")
    func cancelled() async throws {
        try await withLoop(clock) { loop in
            let recorder = Recorder<String>()
            try await onLoop(loop) {
                let at = loop.now + .milliseconds(5)
                let timers = OnLoop<[LoopTimer]>([])
                timers.value.append(
                    loop.schedule(at: at) {
                        // Due in this very turn.
                        timers.value[1].cancel()
                        recorder.record("first")
                    })
                timers.value.append(loop.schedule(at: at) { recorder.record("second") })
                timers.value.append(loop.schedule(at: at) { recorder.record("third") })
                let fourth = loop.schedule(after: .milliseconds(1)) { recorder.record("fourth") }
                #expect(fourth.isPending)
                fourth.cancel()
                #expect(!fourth.isPending)
                fourth.cancel()
            }
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(recorder.elements == ["first", "third"])
        }
    }

    @Test("may cancel themselves while they fire, and are no longer pending then")
    func cancelsItself() async throws {
        try await withLoop(clock) { loop in
            let recorder = Recorder<String>()
            try await onLoop(loop) {
                let box = OnLoop<LoopTimer?>(nil)
                box.value = loop.schedule(after: .milliseconds(1)) {
                    recorder.record("pending: \(box.value!.isPending)")
                    box.value!.cancel()
                    box.value = nil
                    loop.schedule(after: .milliseconds(1)) { recorder.record("next") }
                }
            }
            for _ in 0..<2 { await clock.advance(by: .milliseconds(1), on: loop) }
            #expect(recorder.elements == ["pending: false", "next"])
        }
    }

    @Test("let other work run, even if one sets itself again at once, for ever")
    func endless() async throws {
        final class Endless {
            let loop: EventLoop
            init(_ loop: EventLoop) { self.loop = loop }
            func fire(until done: Recorder<Int>) {
                guard done.count == 0 else { return }
                loop.schedule(after: .zero) { [self] in fire(until: done) }
            }
        }
        let loop = try EventLoop()
        let done = Recorder<Int>()
        loop.execute { Endless(loop).fire(until: done) }
        let recorder = Recorder<Int>()
        loop.execute { loop.execute { loop.execute { recorder.record(1) } } }
        let result = await Result { try await eventually { recorder.count == 1 } }
        done.record(1)
        loop.stop()
        try result.get()
    }

    @Test("are freed by firing and by cancelling, with all they hold")
    func freed() async throws {
        final class Thing {}
        try await withLoop(clock) { loop in
            let recorder = Recorder<Bool>()
            try await onLoop(loop) {
                let things = [Thing(), Thing()]
                let weakly = things.map { WeakBox($0) }
                loop.schedule(after: .zero) { [thing = things[0]] in _ = thing }
                let second = loop.schedule(after: .seconds(3600)) { [thing = things[1]] in
                    _ = thing
                }
                second.cancel()
                recorder.record(weakly[1].value != nil)
                loop.schedule(after: .milliseconds(5)) {
                    recorder.record(weakly.contains { $0.value != nil })
                }
            }
            await clock.advance(by: .milliseconds(5), on: loop)
            try #require(recorder.count == 2)
            // `things` itself still held it when first asked.
            #expect(recorder.elements[1] == false)
        }
    }

    @Test("may be cancelled by what their cancelling frees")
    func cancelledByDeinit() async throws {
        final class Owner {
            var timer: LoopTimer?
            deinit { timer?.cancel() }
        }
        try await withLoop { loop in
            try await onLoop(loop) {
                let timer: LoopTimer
                do {
                    let owner = Owner()
                    timer = loop.schedule(after: .seconds(3600)) { _ = owner }
                    owner.timer = timer
                }
                timer.cancel()
                #expect(!timer.isPending)
            }
        }
    }

    @Test("leave no trace when thousands are cancelled, and the others keep their order")
    func compaction() async throws {
        try await withLoop(clock) { loop in
            let fired = Recorder<Int>()
            let alive = try await onLoop(loop) {
                var far: [WeakBox<LoopTimer>] = []
                var near: [(Int, LoopTimer)] = []
                for number in 0..<5000 {
                    far.append(WeakBox(loop.schedule(after: .seconds(3600)) {}))
                    let delay = Duration.microseconds((number * 7919) % 5000)
                    near.append((number, loop.schedule(after: delay) { fired.record(number) }))
                }
                for box in far { box.value?.cancel() }
                for (number, timer) in near where number % 50 != 0 { timer.cancel() }
                near = []
                return far.count { $0.value != nil }
            }
            // Half of the heap may be cancelled ones, and 64.
            #expect(alive <= 164 + 100)
            await clock.advance(by: .milliseconds(5), on: loop)
            let wanted = (0..<5000).filter { $0 % 50 == 0 }
                .sorted { ($0 * 7919 % 5000, $0) < ($1 * 7919 % 5000, $1) }
            #expect(fired.elements == wanted)
        }
    }

    @Test("stay right when timers that fire cancel hundreds of others")
    func cancelWhileFiring() async throws {
        try await withLoop(clock) { loop in
            let fired = Recorder<Int>()
            try await onLoop(loop) {
                let victims = OnLoop<[LoopTimer]>([])
                for number in 0..<1000 {
                    let delay = Duration.milliseconds(5 + number % 3)
                    victims.value.append(loop.schedule(after: delay) { fired.record(-1) })
                }
                for number in 0..<10 {
                    loop.schedule(after: .milliseconds(4)) {
                        for victim in victims.value[(number * 100)..<(number * 100 + 100)] {
                            victim.cancel()
                        }
                        fired.record(number)
                    }
                }
                loop.schedule(after: .milliseconds(12)) { fired.record(99) }
            }
            await clock.advance(by: .milliseconds(4), on: loop)
            await clock.advance(by: .milliseconds(8), on: loop)
            #expect(fired.elements == Array(0..<10) + [99])
        }
    }

    // By the system's clock, since this is about how long the loop sleeps.
    @Test("wake the loop for the nearest, however far the others are")
    func nearest() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            loop.execute {
                _ = loop.schedule(at: MonotonicTime(nanoseconds: .max)) { recorder.record(1) }
                loop.schedule(after: .seconds(Int64.max)) { recorder.record(2) }
                loop.schedule(after: .milliseconds(3)) { recorder.record(3) }
                _ = loop.schedule(at: MonotonicTime(nanoseconds: .min)) { recorder.record(4) }
            }
            try await eventually { recorder.count == 2 }
            #expect(recorder.elements == [4, 3])
        }
    }
}

final class WeakBox<Object: AnyObject> {
    weak var value: Object?

    init(_ value: Object) { self.value = value }
}
