import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("Writing to a stream", .blocking)
struct ByteStreamWritingTests {
    @Test("sends at once, and says nothing of it if nothing has to wait")
    func simple() async throws {
        try await StreamFixture.run { fixture in
            let waiting = try await fixture.with { stream in
                stream.write { $0 += "hello ".utf8 }
                stream.write(body: Array("!".utf8)) { $0 += "world".utf8 }
                return stream.outputCount
            }
            #expect(waiting == 0)
            #expect(try fixture.peer.receive(exactly: 12) == Array("hello world!".utf8))
            await fixture.loop.turn()
            #expect(fixture.recorder.events.count == 0)
        }
    }

    @Test("sends what is written during a delivery in one go, in its order")
    func duringDelivery() async throws {
        let counts = Recorder<Int>()
        try await StreamFixture.run { recorder in
            recorder.onReceive = { stream, bytes in
                stream.write { $0 += "a".utf8 }
                counts.record(stream.outputCount)
                // Too large to be copied: it goes out with what was written before.
                stream.write(body: [UInt8](repeating: 0x62, count: 10_000)) { $0 += "-".utf8 }
                counts.record(stream.outputCount)
                stream.write(body: Array("d".utf8)) { $0 += "c".utf8 }
                counts.record(stream.outputCount)
                stream.sendWritten()
                counts.record(stream.outputCount)
                return bytes.count
            }
        } _: { fixture in
            try fixture.peer.send("go")
            let expected = "a-" + String(repeating: "b", count: 10_000) + "cd"
            let received = try fixture.peer.receive(exactly: expected.utf8.count)
            #expect(String(decoding: received, as: UTF8.self) == expected)
            // The last bytes leave before the last count is taken.
            try await eventually("the last count") { counts.count == 4 }
            #expect(counts.elements == [1, 0, 2, 0])
        }
    }

    @Test("more than the socket holds waits until the peer reads", arguments: [false, true])
    func backPressure(isTCP: Bool) async throws {
        try await StreamFixture.run(isTCP ? .tcp : .unix) { fixture in
            var pattern = (0..<251).map { UInt8($0) }
            while pattern.count < 16_000_000 { pattern += pattern }
            let all = pattern
            try await fixture.with { stream in stream.write { $0 += all } }
            for _ in 0..<5 { try await onLoop(fixture.loop) {} }
            #expect(try await fixture.with { $0.outputCount } > 0)
            #expect(fixture.recorder.events.count == 0)
            let isSame = try fixture.peer.receive(exactly: all.count) == all
            #expect(isSame)
            try await eventually { fixture.recorder.events.elements == ["drained"] }
            #expect(try await fixture.with { $0.outputCount } == 0)
        }
    }

    @Test(
        "keeps a body that the kernel does not take whole, behind what came before",
        arguments: [false, true])
    func largeBodies(isTCP: Bool) async throws {
        try await StreamFixture.run(isTCP ? .tcp : .unix) { fixture in
            let bodies = (0..<5).map { [UInt8](repeating: UInt8($0), count: 3_000_000) }
            try await fixture.with { stream in
                for body in bodies { stream.write(body: body) { $0 += "head".utf8 } }
            }
            let expected = bodies.flatMap { Array("head".utf8) + $0 }
            let isSame = try fixture.peer.receive(exactly: expected.count) == expected
            #expect(isSame)
            try await eventually { fixture.recorder.events.elements == ["drained"] }
        }
    }

    @Test("when all has gone may write more, as often as it likes")
    func writesWhenDrained() async throws {
        try await StreamFixture.run { recorder in
            recorder.onDrained = { stream in
                guard recorder.events.count < 10 else { return }
                stream.write { $0 += [UInt8](repeating: 7, count: 10_000_000) }
            }
        } _: { fixture in
            try await fixture.with { $0.write { $0 += [UInt8](repeating: 7, count: 10_000_000) } }
            _ = try fixture.peer.receive(exactly: 100_000_000)
            try await eventually { fixture.recorder.events.count == 10 }
        }
    }

    @Test("finished after a large output delivers every byte and then the end")
    func finishAfterOutput() async throws {
        try await StreamFixture.run(.tcp) { fixture in
            let size = 20_000_000
            try await fixture.with { stream in
                stream.write { $0 += [UInt8](repeating: 7, count: size) }
                stream.finishWriting()
                stream.finishWriting()
            }
            #expect(try fixture.peer.receiveToEnd().count == size)
            // The other direction still works.
            try fixture.peer.send("thanks")
            try await eventually { fixture.recorder.text == "thanks" }
            #expect(try await fixture.with { $0.isOpen })
        }
    }

    @Test("goes on after the peer has finished sending")
    func halfClosed() async throws {
        try await StreamFixture.run(.tcp) { recorder in
            recorder.onEnd = { stream in
                stream.write { $0 += [UInt8](repeating: 7, count: 10_000_000) }
                stream.finishWriting()
            }
        } _: { fixture in
            fixture.peer.finishSending()
            let bytes = try fixture.peer.receiveToEnd()
            #expect(bytes.count == 10_000_000)
            #expect(fixture.recorder.events.elements.first == "end")
        }
    }

    @Test("drops what is unsent when the stream closes")
    func close() async throws {
        try await StreamFixture.run { fixture in
            let size = 20_000_000
            try await fixture.with { stream in
                stream.write { $0 += [UInt8](repeating: 7, count: size) }
                stream.close()
            }
            #expect(try fixture.peer.receiveToEnd().count < size)
            #expect(fixture.recorder.events.count == 0)
        }
    }

    @Test("may close the stream when all has gone")
    func closeWhenDrained() async throws {
        try await StreamFixture.run { recorder in
            recorder.onDrained = { $0.close() }
        } _: { fixture in
            let size = 20_000_000
            try await fixture.with { $0.write { $0 += [UInt8](repeating: 7, count: size) } }
            #expect(try fixture.peer.receiveToEnd().count == size)
            #expect(fixture.recorder.events.elements == ["drained"])
        }
    }

    @Test("to a peer that is gone fails once, without a signal", arguments: [false, true])
    func gone(isTCP: Bool) async throws {
        try await StreamFixture.run(isTCP ? .tcp : .unix) { fixture in
            // Much, so that some of it is unsent when the peer goes.
            try await fixture.with { $0.write { $0 += [UInt8](repeating: 7, count: 24_000_000) } }
            _ = try fixture.peer.receive()
            fixture.peer.close()
            try await eventually {
                fixture.recorder.events.elements.contains { $0.hasPrefix("failed") }
            }
            #expect(fixture.recorder.events.elements.filter { $0 != "end" }.count == 1)
            #expect(try await fixture.with { !$0.isOpen && $0.outputCount == 0 })
        }
    }

    @Test("keeps no more memory than what is unsent, even if something always is")
    func memory() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let growth = try await StreamFixture.run { fixture in
                let before = try residentBytes()
                // There is always a piece waiting, and 400 MB go through.
                for _ in 0..<400 {
                    try await fixture.with { stream in
                        while stream.outputCount < 2_000_000 {
                            stream.write { $0 += [UInt8](repeating: 7, count: 1_000_000) }
                        }
                    }
                    _ = try fixture.peer.receive(exactly: 1_000_000)
                }
                return try fixture.recorder.events.count == 0 ? residentBytes() - before : .max
            }
            exit(growth < 100_000_000 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}

private func residentBytes() throws -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { Glibc.close(file) }
    var text = [UInt8](repeating: 0, count: 200)
    let count = read(file, &text, text.count)
    let words = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(
        separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { throw TestFailure("no statm") }
    return pages * 4096
}
