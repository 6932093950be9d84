import Encodings
import TestSupport
import Testing

@testable import Sockets

@Suite("Reading from a stream", .blocking)
struct ByteStreamReadingTests {
    @Test("delivers bytes and then the end", arguments: [StreamFixture.Kind.unix, .tcp])
    func simple(kind: StreamFixture.Kind) async throws {
        try await StreamFixture.run(kind) { fixture in
            try fixture.peer.send("hello ")
            try await eventually { fixture.recorder.text == "hello " }
            try fixture.peer.send("world")
            fixture.peer.finishSending()
            try await eventually { fixture.recorder.events.count == 1 }
            #expect(fixture.recorder.text == "hello world")
            #expect(fixture.recorder.events.elements == ["end"])
            #expect(try await fixture.with { $0.hasEnded && $0.isOpen && !$0.hasInput })
        }
    }

    @Test("keeps what was not consumed, and puts it before what comes next")
    func partial() async throws {
        let deliveries = Recorder<String>()
        try await StreamFixture.run { recorder in
            recorder.onReceive = { _, bytes in
                deliveries.record(String(decoding: bytes, as: UTF8.self))
                // Whole words only.
                return (bytes.lastIndex(of: UInt8(ascii: " ")) ?? -1) + 1
            }
        } _: { fixture in
            for part in ["ab", "c d", "e", "f "] {
                let count = deliveries.count
                try fixture.peer.send(part)
                try await eventually { deliveries.count > count }
            }
            #expect(try await fixture.with { !$0.hasInput })
            #expect(deliveries.elements == ["ab", "abc d", "de", "def "])
            #expect(fixture.recorder.text == "abc def ")
        }
    }

    @Test("leaves what was not consumed at the end to be asked for")
    func unconsumedAtEnd() async throws {
        let deliveries = Recorder<Int>()
        try await StreamFixture.run { recorder in
            recorder.onReceive = { _, bytes in
                deliveries.record(bytes.count)
                return deliveries.count < 3 ? 1 : bytes.count
            }
        } _: { fixture in
            try fixture.peer.send("abc")
            fixture.peer.finishSending()
            try await eventually { fixture.recorder.events.count == 1 }
            #expect(fixture.recorder.text == "a")
            #expect(try await fixture.with { $0.hasInput && $0.hasEnded })
            try await fixture.with { $0.resumeReading() }
            try await fixture.with { $0.resumeReading() }
            #expect(fixture.recorder.text == "abc")
            #expect(deliveries.elements == [3, 2, 1])
            #expect(fixture.recorder.events.elements == ["end"])
        }
    }

    @Test("stops at the input limit, holds the peer back, and goes on without loss")
    func limit() async throws {
        let isTaking = Recorder<Int>()
        let limit = 10_000
        try await StreamFixture.run(.tcp, inputLimit: limit) { recorder in
            recorder.onReceive = { _, bytes in isTaking.count == 0 ? 0 : bytes.count }
        } _: { fixture in
            let sent = fixture.peer.sendUntilRefused()
            #expect(sent > limit)
            try await eventually("the limit") { fixture.recorder.largestDelivery == limit }
            #expect(fixture.recorder.received.isEmpty)
            isTaking.record(1)
            try await fixture.with { $0.resumeReading() }
            try await eventually { fixture.recorder.received.count == sent }
            try fixture.peer.send("more")
            try await eventually { fixture.recorder.received.count == sent + 4 }
            #expect(fixture.recorder.largestDelivery == limit)
        }
    }

    @Test("takes a flood of small and large pieces in order")
    func flood() async throws {
        try await StreamFixture.run(inputLimit: 3000) { recorder in
            recorder.onReceive = { _, bytes in max(1, bytes.count * 2 / 3) }
        } _: { fixture in
            var all: [UInt8] = []
            for round in 0..<300 {
                let piece = (0..<(round * 37 % 9000)).map { UInt8(($0 + round) % 251) }
                all += piece
                try fixture.peer.send(piece)
                while fixture.recorder.received.count < all.count - 2000 {
                    try await fixture.with { $0.resumeReading() }
                }
            }
            while fixture.recorder.received.count < all.count {
                try await fixture.with { $0.resumeReading() }
            }
            #expect(fixture.recorder.received == all)
        }
    }

    @Test("reads all that was sent before the end, when both come together")
    func endWithBytes() async throws {
        for size in [1, 65_535, 65_536, 65_537, 150_000] {
            try await StreamFixture.run(inputLimit: 1 << 20) { fixture in
                let bytes = (0..<size).map { UInt8($0 % 251) }
                try fixture.peer.send(bytes)
                fixture.peer.close()
                try await eventually { fixture.recorder.events.count == 1 }
                #expect(fixture.recorder.received == bytes)
            }
        }
    }

    @Test("ends when the stream is closed inside the delivery, whatever was left")
    func closeInside() async throws {
        try await StreamFixture.run { recorder in
            recorder.onReceive = { stream, _ in
                stream.close()
                stream.close()
                return 1
            }
        } _: { fixture in
            try fixture.peer.send("abc")
            #expect(try fixture.peer.receiveToEnd() == [])
            // The peer learns of the end before the delivery has returned.
            try await eventually("the delivery") { fixture.recorder.text == "a" }
            #expect(fixture.recorder.events.elements == [])
            #expect(try await fixture.with { !$0.isOpen && !$0.hasInput && $0.outputCount == 0 })
            // All of these do nothing now.
            try await fixture.with {
                $0.write { $0 += "x".utf8 }
                $0.resumeReading()
                $0.finishWriting()
                $0.close()
            }
        }
    }

    @Test("may ask for more inside the delivery, which does nothing")
    func resumeInside() async throws {
        try await StreamFixture.run { recorder in
            recorder.onReceive = { stream, bytes in
                stream.resumeReading()
                return min(bytes.count, 2)
            }
        } _: { fixture in
            try fixture.peer.send("abc")
            try await eventually { fixture.recorder.text == "ab" }
            try fixture.peer.send("d")
            try await eventually { fixture.recorder.text == "abcd" }
        }
    }

    @Test("tells of a reset once, and the stream is closed then")
    func reset() async throws {
        try await StreamFixture.run(.tcp) { fixture in
            try fixture.peer.send("abc")
            try await eventually { fixture.recorder.text == "abc" }
            fixture.peer.reset()
            try await eventually { fixture.recorder.events.count == 1 }
            #expect(fixture.recorder.events.elements == ["failed: recv"])
            #expect(try await fixture.with { !$0.isOpen })
        }
    }
    @Test("inside the delivery of another stream leaves that one's bytes as they are")
    func nested() async throws {
        try await withLoop { loop in
            let (outer, inner) = (try Peer.pair(), try Peer.pair())
            let delegates = OnLoop<[NestingDelegate]>([])
            try await onLoop(loop) {
                let first = NestingDelegate(
                    try ByteStream(
                        AcceptedSocket(descriptor: inner.descriptor), on: loop, inputLimit: 100))
                let second = NestingDelegate(
                    try ByteStream(
                        AcceptedSocket(descriptor: outer.descriptor), on: loop, inputLimit: 100))
                second.inner = first.stream
                delegates.value = [first, second]
                try inner.peer.send("inner")
                try outer.peer.send("outer")
                second.stream.readNow()
                #expect(first.texts == ["inner"])
                #expect(second.texts == ["outer"])
                for delegate in delegates.value { delegate.stream.close() }
                delegates.value = []
            }
        }
    }
}

/// Reads another stream before it looks at what its own has received.
private final class NestingDelegate: ByteStreamDelegate {
    let stream: ByteStream
    var inner: ByteStream?
    var texts: [String] = []

    init(_ stream: ByteStream) {
        self.stream = stream
        stream.delegate = self
    }

    func streamReceived(_ bytes: Span<UInt8>) -> Int {
        inner?.readNow()
        texts.append(bytes.repairedText)
        return bytes.count
    }

    func streamReachedEnd() {}
    func streamIsInClearText() {}
    func streamDrained() {}
    func streamFailed(_ error: SystemError) {}
}
