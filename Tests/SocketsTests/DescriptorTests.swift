import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("A registered descriptor", .blocking)
struct DescriptorTests {
    @Test("that was closed while its event was pending finds nobody, nor does its successor")
    func staleEvent() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            let pipes = [try TestPipe(), try TestPipe()]
            let successor = try TestPipe()
            let registrations = OnLoop<[DescriptorRegistration]>([])
            loop.execute {
                // Both are ready before the loop waits again, so one epoll_wait reports both.
                for (index, pipe) in pipes.enumerated() {
                    let handler = ClosureHandler { _ in
                        let other = 1 - index
                        recorder.record("first")
                        _ = pipe.read()
                        loop.cancel(registrations.value[other])
                        let number = pipes[other].readEnd
                        successor.replaceReadEnd(of: pipes[other])
                        _ = try? loop.register(
                            number, for: .readable, trigger: .edge,
                            handler: ClosureHandler { _ in
                                recorder.record(successor.read() ? "successor" : "stale")
                            })
                    }
                    if let registration = try? loop.register(
                        pipe.readEnd, for: .readable, trigger: .level, handler: handler)
                    {
                        registrations.value.append(registration)
                    }
                    pipe.write()
                }
            }
            try await eventually { recorder.count == 1 }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.elements == ["first"])
            successor.write()
            try await eventually { recorder.count == 2 }
            #expect(recorder.elements == ["first", "successor"])
        }
    }

    @Test("is not reported once cancelled, and cancelling it twice harms nobody")
    func cancelled() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            let pipe = try TestPipe()
            try await onLoop(loop) {
                let old = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in recorder.record("old") })
                loop.cancel(old)
                _ = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in
                        recorder.record("new")
                        _ = pipe.read()
                    })
                // The slot is used again: this must not hit its new owner.
                loop.cancel(old)
                loop.update(old, to: [])
            }
            pipe.write()
            try await eventually { recorder.count == 1 }
            #expect(recorder.elements == ["new"])
        }
    }

    @Test("is reported for what it was updated to")
    func update() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Readiness>()
            let (peer, descriptor) = try Peer.pair()
            let registration = OnLoop<DescriptorRegistration?>(nil)
            try await onLoop(loop) {
                registration.value = try loop.register(
                    descriptor, for: [], trigger: .level,
                    handler: ClosureHandler { readiness in
                        recorder.record(readiness)
                        loop.update(registration.value!, to: [])
                    })
            }
            try peer.send("x")
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.count == 0)
            try await onLoop(loop) { loop.update(registration.value!, to: .readable) }
            try await eventually { recorder.count == 1 }
            try await onLoop(loop) { loop.update(registration.value!, to: .writable) }
            try await eventually { recorder.count == 2 }
            #expect(recorder.elements == [.readable, .writable])
            try await onLoop(loop) { loop.cancel(registration.value!) }
            close(descriptor)
        }
    }

    @Test("is reported again and again by level, once by edge")
    func triggers() async throws {
        try await withLoop { loop in
            let level = Recorder<Int>()
            let edge = Recorder<Int>()
            let pipes = [try TestPipe(), try TestPipe()]
            try await onLoop(loop) {
                _ = try loop.register(
                    pipes[0].readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in
                        level.record(1)
                        if level.count == 50 { _ = pipes[0].read() }
                    })
                _ = try loop.register(
                    pipes[1].readEnd, for: .readable, trigger: .edge,
                    handler: ClosureHandler { _ in edge.record(1) })
            }
            for pipe in pipes { pipe.write() }
            try await eventually { level.count == 50 }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(level.count == 50)
            #expect(edge.count == 1)
        }
    }

    @Test("can be cancelled by its own handler, whose owner it frees")
    func cancelsItself() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            let pipe = try TestPipe()
            let registration = OnLoop<DescriptorRegistration?>(nil)
            let weakly = try await onLoop(loop) {
                let handler = ClosureHandler { _ in
                    recorder.record(1)
                    loop.cancel(registration.value!)
                }
                registration.value = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level, handler: handler)
                return OnLoop(WeakBox(handler))
            }
            pipe.write()
            try await eventually { recorder.count == 1 }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.count == 1)
            #expect(weakly.value.value == nil)
        }
    }

    @Test("may own other registrations, which end with it")
    func ownsOthers() async throws {
        final class Owner: ReadinessHandler {
            let loop: EventLoop
            let other: DescriptorRegistration
            init(_ loop: EventLoop, _ other: DescriptorRegistration) {
                self.loop = loop
                self.other = other
            }
            deinit { loop.cancel(other) }
            func descriptorIsReady(_ readiness: Readiness) {}
        }
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            let pipes = [try TestPipe(), try TestPipe()]
            try await onLoop(loop) {
                let other = try loop.register(
                    pipes[0].readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in recorder.record(1) })
                let registration = try loop.register(
                    pipes[1].readEnd, for: .readable, trigger: .level,
                    handler: Owner(loop, other))
                loop.cancel(registration)
            }
            pipes[0].write()
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.count == 0)
        }
    }

    @Test("that is none is refused, and the next registration works")
    func invalid() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            let pipe = try TestPipe()
            let error =
                try await onLoop(loop) {
                    do {
                        _ = try loop.register(
                            -1, for: .readable, trigger: .level, handler: ClosureHandler { _ in })
                        return nil
                    } catch {
                        return (error as? SystemError)?.code
                    }
                } as Int32?
            #expect(error == EBADF)
            try await onLoop(loop) {
                _ = try loop.register(
                    pipe.readEnd, for: .readable, trigger: .level,
                    handler: ClosureHandler { _ in
                        _ = pipe.read()
                        recorder.record(1)
                    })
            }
            pipe.write()
            try await eventually { recorder.count == 1 }
        }
    }
}
